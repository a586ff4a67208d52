#include "carry/align.h"

#include "base/memory.h"
#include "program/fingerprint.h"

/* Straight code longer than this, in both builds and different, is aligned at its ends only. */
enum { TABLE_MOST = 1 << 20 };

struct strip {
    uint64_t *prints; /* of what lies between the common ends */
    uint32_t n;
};

static struct strip strip_read(const struct carry_side *side, block_id b)
{
    const struct cfg_block *block = &side->cfg->blocks.at[b];
    struct strip strip = {mem_alloc(block->instructions * sizeof *strip.prints + 1),
                          block->instructions};
    for (uint32_t i = 0; i < strip.n; i++)
        strip.prints[i] = fingerprint_of(side->image, side->symbols,
                                         &side->cfg->instructions.at[block->first + i])
                              .loose;
    return strip;
}

/* lengths[i][k]: of the longest common sequence of a from i on and b from k on. */
static void middle_align(uint32_t *into, const uint64_t *a, uint32_t n, const uint64_t *b,
                         uint32_t m, uint32_t first)
{
    uint32_t width = m + 1, *lengths = mem_alloc((size_t)(n + 1) * width * sizeof *lengths);
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = m; k-- > 0;) {
            uint32_t *here = &lengths[i * width + k], right = here[1], below = here[width];
            *here = a[i] == b[k] ? here[width + 1] + 1 : right > below ? right : below;
        }
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        const uint32_t *here = &lengths[i * width + k];
        if (a[i] == b[k])
            into[i++] = first + k++;
        else if (here[width] >= here[1])
            i++;
        else
            k++;
    }
    mem_free(lengths);
}

void carry_align(uint32_t *into, const struct carry_side *old, block_id from,
                 const struct carry_side *new, block_id to)
{
    struct strip a = strip_read(old, from), b = strip_read(new, to);
    uint32_t first = new->cfg->blocks.at[to].first, head = 0, tail = 0;
    for (uint32_t i = 0; i < a.n; i++)
        into[i] = INSTRUCTION_NONE;
    for (; head < a.n && head < b.n && a.prints[head] == b.prints[head]; head++)
        into[head] = first + head;
    while (tail < a.n - head && tail < b.n - head &&
           a.prints[a.n - 1 - tail] == b.prints[b.n - 1 - tail]) {
        tail++;
        into[a.n - tail] = first + b.n - tail;
    }
    uint32_t n = a.n - head - tail, m = b.n - head - tail;
    if (n && m && (uint64_t)(n + 1) * (m + 1) <= TABLE_MOST)
        middle_align(into + head, a.prints + head, n, b.prints + head, m, first + head);
    /* The first is where the block is entered, whatever it is. */
    into[0] = first;
    mem_free(a.prints);
    mem_free(b.prints);
}

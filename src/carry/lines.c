#include "carry/lines.h"

#include "program/fingerprint.h"
#include "program/dwarf/lines.h"

#include <stdlib.h>
#include <string.h>

/* A line of the source, as far as the function has code of it. */
struct line {
    uint64_t file; /* of its name without folders: builds lie in folders of their own */
    uint32_t line;
    uint32_t instructions;
    uint64_t code; /* its operations, whatever their order */
    size_t other;  /* in the other build; LINE_NONE: not known */
};
static const size_t LINE_NONE = SIZE_MAX;

struct listing {
    VEC(struct line); /* by file and line */
};

static int line_order(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* ---- the lines of one build */

/* One pointer stands for one file: names are looked at when it changes. */
struct file_memory {
    const char *file;
    uint64_t print;
};

static bool line_of(struct file_memory *memory, const struct carry_side *side, struct svma at,
                    struct line *ret_line)
{
    const char *file;
    uint32_t line;
    if (!side->lines || !lines_find(side->lines, at, &file, &line) || !line)
        return false;
    if (file != memory->file) {
        const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
        *memory = (struct file_memory){file, fingerprint_text(name, strlen(name))};
    }
    *ret_line = (struct line){.file = memory->print, .line = line, .other = LINE_NONE};
    return true;
}

static void listing_make(struct listing *listing, const struct carry_side *side)
{
    struct file_memory memory = {0};
    const struct cfg *cfg = side->cfg;
    struct line line;
    for (size_t i = 0; i < cfg->instructions.n; i++)
        if (line_of(&memory, side, cfg->instructions.at[i].at, &line)) {
            struct fingerprint print =
                fingerprint_of(side->image, side->symbols, &cfg->instructions.at[i]);
            line.code = fingerprint_mix(1, print.loose);
            line.instructions = 1;
            *vec_push(listing) = line;
        }
    if (listing->n)
        qsort(listing->at, listing->n, sizeof *listing->at, line_order);
    size_t kept = 0;
    for (size_t i = 0; i < listing->n; i++) {
        struct line *last = kept ? &listing->at[kept - 1] : NULL;
        if (last && line_order(last, &listing->at[i]) == 0) {
            last->code += listing->at[i].code;
            last->instructions++;
        } else {
            listing->at[kept++] = listing->at[i];
        }
    }
    listing->n = kept;
}

/* ---- which are which */

struct span {
    struct line *at;
    size_t n;
};

struct aligner {
    struct listing old, new;
};

static void join(struct aligner *aligner, struct line *old, struct line *new)
{
    old->other = (size_t)(new - aligner->new.at);
    new->other = (size_t)(old - aligner->old.at);
}

/* Beyond that functions are hardly a function any more, and all with all takes too long. */
enum { CELLS_MOST = 1 << 22 };

/* The common sequence of lines that has most instructions. */
static void join_equal(struct aligner *aligner, struct span old, struct span new)
{
    size_t width = new.n + 1, cells = (old.n + 1) * width;
    if (cells > CELLS_MOST)
        return;
    uint32_t *table =
        mem_alloc(cells * sizeof *table); /* instructions that what follows can have in common */
    for (size_t i = old.n; i-- > 0;)
        for (size_t k = new.n; k-- > 0;) {
            uint32_t down = table[(i + 1) * width + k], right = table[i * width + k + 1];
            uint32_t best = down > right ? down : right;
            if (old.at[i].code == new.at[k].code) {
                uint32_t both = table[(i + 1) * width + k + 1] + old.at[i].instructions;
                best = both > best ? both : best;
            }
            table[i * width + k] = best;
        }
    for (size_t i = 0, k = 0; i < old.n && k < new.n;) {
        uint32_t here = table[i * width + k];
        if (old.at[i].code == new.at[k].code &&
            here == table[(i + 1) * width + k + 1] + old.at[i].instructions)
            join(aligner, &old.at[i++], &new.at[k++]);
        else if (here == table[(i + 1) * width + k])
            i++;
        else
            k++;
    }
    mem_free(table);
}

/* Lines without partner that lie as far from the pair as each other. */
static void join_shifted(struct aligner *aligner, struct span old, struct span new,
                         const struct line *old_end, const struct line *new_end)
{
    for (size_t i = 0, k = 0; i < old.n && k < new.n;) {
        int64_t left = (int64_t)old.at[i].line - old_end->line,
                right = (int64_t) new.at[k].line - new_end->line;
        if (left == right && old.at[i].other == LINE_NONE && new.at[k].other == LINE_NONE)
            join(aligner, &old.at[i], &new.at[k]);
        i += left <= right;
        k += right <= left;
    }
}

static void join_rest(struct aligner *aligner, struct span old, struct span new)
{
    size_t lone_old = 0, lone_new = 0;
    for (size_t i = 0; i < old.n; i++)
        lone_old += old.at[i].other == LINE_NONE;
    for (size_t k = 0; k < new.n; k++)
        lone_new += new.at[k].other == LINE_NONE;
    if (lone_old != lone_new)
        return;
    for (size_t i = 0, k = 0; i < old.n && k < new.n;) {
        bool left = old.at[i].other == LINE_NONE, right = new.at[k].other == LINE_NONE;
        if (left && right)
            join(aligner, &old.at[i], &new.at[k]);
        i += !left || right;
        k += !right || left;
    }
}

/* What lies between two pairs, or before the first, or behind the last. */
static void gaps_join(struct aligner *aligner, struct span old, struct span new)
{
    const struct line *old_before = NULL, *new_before = NULL;
    for (size_t i = 0, k = 0; i <= old.n; i++) {
        if (i < old.n && old.at[i].other == LINE_NONE)
            continue;
        const struct line *old_end = i < old.n ? &old.at[i] : NULL;
        const struct line *new_end = old_end ? &aligner->new.at[old_end->other] : NULL;
        size_t first_old = old_before ? (size_t)(old_before - old.at) + 1 : 0;
        size_t end_new = new_end ? (size_t)(new_end - new.at) : new.n;
        struct span left = {old.at + first_old, i - first_old}, right = {new.at + k, end_new - k};
        if (old_before)
            join_shifted(aligner, left, right, old_before, new_before);
        if (old_end)
            join_shifted(aligner, left, right, old_end, new_end);
        join_rest(aligner, left, right);
        old_before = old_end;
        new_before = new_end;
        k = end_new + 1;
    }
}

static struct span span_of(const struct listing *listing, size_t from)
{
    size_t n = 1;
    while (from + n < listing->n && listing->at[from + n].file == listing->at[from].file)
        n++;
    return (struct span){listing->at + from, n};
}

static void listings_align(struct aligner *aligner)
{
    for (size_t i = 0, k = 0; i < aligner->old.n && k < aligner->new.n;) {
        struct span old = span_of(&aligner->old, i), new = span_of(&aligner->new, k);
        uint64_t left = old.at->file, right = new.at->file;
        if (left == right) {
            join_equal(aligner, old, new);
            gaps_join(aligner, old, new);
        }
        i += left <= right ? old.n : 0;
        k += right <= left ? new.n : 0;
    }
}

/* ---- numbers */

/* Lines of the new build have their place in its list, those of the old one that of their partner;
 * the rest of them are odd. */
static void numbers_fill(uint64_t *numbers, const struct carry_side *side,
                         const struct listing *listing, bool old)
{
    struct file_memory memory = {0};
    struct line line;
    for (size_t i = 0; i < side->cfg->instructions.n; i++) {
        numbers[i] = 0;
        if (!line_of(&memory, side, side->cfg->instructions.at[i].at, &line))
            continue;
        const struct line *found = bsearch(&line, listing->at, listing->n, sizeof line, line_order);
        size_t place = (size_t)(found - listing->at);
        numbers[i] = !old                        ? 2 * place + 2
                     : found->other != LINE_NONE ? 2 * found->other + 2
                                                 : 2 * place + 1;
    }
}

size_t carry_lines_number(uint64_t *old_numbers, const struct carry_side *old,
                          uint64_t *new_numbers, const struct carry_side *new)
{
    struct aligner aligner = {0};
    listing_make(&aligner.old, old);
    listing_make(&aligner.new, new);
    listings_align(&aligner);
    numbers_fill(old_numbers, old, &aligner.old, true);
    numbers_fill(new_numbers, new, &aligner.new, false);
    size_t most = aligner.old.n > aligner.new.n ? aligner.old.n : aligner.new.n;
    vec_release(&aligner.old);
    vec_release(&aligner.new);
    return 2 * most + 3;
}

#include "walk/base/probe.h"
#include "walk/cache/cache_parts.h"

static uint64_t word_at(uint64_t at)
{
    uint64_t word = 0;
    return probe_read((uint8_t *)&word, at, sizeof word) ? word : 0;
}

/* A word of the stack, on the page of its top: a program that has blocked SIGSEGV would not survive
 * a fault. */
static uint64_t stack_word(uint64_t sp, int64_t from)
{
    uint64_t at = sp + (uint64_t)from;
    return (at ^ sp) < 4096 && at % 8 == 0 ? word_at(at) : 0;
}

/* A place that the loader has yet to fill: it leads to a push of its number. */
static bool unbound(uint64_t target)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t bytes[5];
    if (!probe_read(bytes, target, sizeof bytes))
        return false;
    return bytes[0] == 0x68 || (__builtin_memcmp(bytes, endbr, 4) == 0 && bytes[4] == 0x68);
}

void cache_guess(const struct wanted *wanted, const struct shape *shape, struct copied_block *block,
                 struct guess *ret)
{
    if (!wanted->sp || wanted->flavour != FLAVOUR_PLAIN)
        return;
    struct guess guess = *ret = guess_find(shape);
    /* Copies that count count where computed jumps and calls go. */
    if (guess.step == SHAPE_STEPS || !guess.known || (block->counter && !guess.stacked))
        return;
    uint64_t target =
        guess.stacked ? stack_word(wanted->sp, guess.source) : word_at((uint64_t)guess.source);
    block->unbound = !guess.stacked && unbound(target);
    if (block->unbound)
        return;
    block->guess = target;
    block->guess_at = guess.stacked ? guess.source : GUESS_ELSEWHERE;
    block->guessed = (uint8_t)shape->n_segments;
}

bool cache_guessed(const struct wanted *wanted, const struct copied_block *block)
{
    return !block->guess || block->guess_at == GUESS_ELSEWHERE ||
           stack_word(wanted->sp, block->guess_at) == block->guess;
}

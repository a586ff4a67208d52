#include "waste/waste_calls.h"

#include <string.h>

enum {
    FRAME_MAX = 1 << 13, /* bytes below the last return address that a function's frame may have */
    STACK_MAX = 1 << 20, /* bytes between two calls on one stack */
    MADE_MAX = 1 << 20,
    INSIDE_MAX = 1 << 12,
};
static const uint64_t TIMES = 0xd1342543de82ef95;

void waste_calls_init(struct waste_calls *calls, struct waste_listener *listener)
{
    *calls = (struct waste_calls){.listener = listener};
    map_init(&calls->keys, 3 * sizeof(uint64_t));
}

void waste_calls_release(struct waste_calls *calls)
{
    map_release(&calls->keys);
    vec_release(&calls->made);
    vec_release(&calls->inside);
}

/* ---- findings */

static void tell_from(struct waste_calls *calls, size_t from)
{
    for (size_t i = from; i < calls->inside.n; i++)
        calls->listener->found(calls->listener->of, &calls->inside.at[i]);
    calls->inside.n = from;
}

static void innermost_find(struct waste_calls *calls)
{
    uint32_t i = calls->n;
    calls->innermost = 0;
    while (calls->n_open && i && !calls->at[i - 1].open)
        i--;
    if (calls->n_open && i)
        calls->innermost = calls->at[i - 1].begin;
    else
        tell_from(calls, 0); /* none is open: none of them is part of another */
}

static void close_one(struct waste_calls *calls, struct waste_call *call)
{
    calls->n_open -= call->open;
    call->open = false;
}

void waste_calls_void(struct waste_calls *calls)
{
    for (uint32_t i = calls->n; calls->n_open && i; i--)
        close_one(calls, &calls->at[i - 1]);
    innermost_find(calls);
}

void waste_calls_forget(struct waste_calls *calls)
{
    waste_calls_void(calls);
    calls->n = 0;
    calls->made.n = 0;
    map_clear(&calls->keys);
    memset(calls->seen, 0, sizeof calls->seen);
}

/* ---- what calls do */

void waste_calls_store(struct waste_calls *calls, uint64_t address)
{
    if (!calls->n_open)
        return;
    if (address + FRAME_MAX < calls->at[calls->n - 1].slot || address >= calls->at[0].slot) {
        waste_calls_void(calls);
        return;
    }
    uint32_t i = calls->n;
    for (; i && calls->at[i - 1].slot <= address; i--)
        close_one(calls, &calls->at[i - 1]);
    if (i < calls->n)
        innermost_find(calls);
}

void waste_calls_word(struct waste_calls *calls, uint64_t word)
{
    word *= 0x9e3779b97f4a7c15;
    word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9;
    calls->hash = calls->hash * TIMES + (word ^ word >> 32) + 1;
    calls->words++;
}

void waste_calls_read(struct waste_calls *calls, uint32_t reg, uint64_t position,
                      const uint8_t *value, uint32_t bytes)
{
    if (calls->seen[reg] > calls->innermost) /* what an open call has from itself, or has read */
        return;
    uint64_t words[4] = {0};
    if (value && bytes <= sizeof words) {
        memcpy(words, value, bytes);
        for (uint32_t i = 0; i * sizeof *words < bytes; i++)
            waste_calls_word(calls, words[i]);
        calls->seen[reg] = position;
        return;
    }
    for (uint32_t i = calls->n; i && calls->at[i - 1].begin >= calls->seen[reg]; i--)
        close_one(calls, &calls->at[i - 1]);
    innermost_find(calls);
}

void waste_calls_write(struct waste_calls *calls, uint64_t set, uint64_t position)
{
    for (set &= (UINT64_C(1) << WASTE_MASKS) - 1; set; set &= set - 1)
        calls->seen[__builtin_ctzll(set)] = position;
}

/* ---- calls and returns */

static uint64_t power(uint64_t n)
{
    uint64_t product = 1;
    for (uint64_t base = TIMES; n; n >>= 1, base *= base)
        if (n & 1)
            product *= base;
    return product;
}

/* The innermost call is over, without an effect. */
static void compare(struct waste_calls *calls, const struct waste_call *call, uint64_t position)
{
    uint64_t words = calls->words - call->words, instructions = position - call->begin;
    const uint64_t key[] = {calls->hash - call->hash * power(words), words, instructions};
    if (calls->made.n >= MADE_MAX) {
        map_clear(&calls->keys);
        calls->made.n = 0;
    }
    uint32_t index = map_add(&calls->keys, key);
    bool again = index < calls->made.n;
    if (!again)
        *vec_push(&calls->made) = (struct waste_call_made){0};
    struct waste_call_made *made = &calls->made.at[index];
    if (again) {
        calls->inside.n = call->inside; /* what is in it is the same waste */
        *vec_push(&calls->inside) = (struct waste_found){.kind = WASTE_SAME_CALL,
                                                         .first = made->site,
                                                         .second = call->site,
                                                         .distance = position - made->begin,
                                                         .bytes = instructions};
    }
    *made = (struct waste_call_made){call->site, call->begin};
}

static void pop(struct waste_calls *calls, uint64_t position, bool returns)
{
    struct waste_call call = calls->at[--calls->n];
    if (call.open && returns)
        compare(calls, &call, position);
    calls->n_open -= call.open;
    innermost_find(calls);
    if (calls->inside.n < INSIDE_MAX)
        return;
    tell_from(calls, 0);
    for (uint32_t i = 0; i < calls->n; i++)
        calls->at[i].inside = 0;
}

void waste_calls_enter(struct waste_calls *calls, uint64_t slot, struct waste_site site,
                       uint64_t position)
{
    while (calls->n && calls->at[calls->n - 1].slot <= slot)
        pop(calls, position, false);
    if (calls->n && calls->at[calls->n - 1].slot - slot > STACK_MAX)
        waste_calls_void(calls); /* another stack */
    if (calls->n == WASTE_CALLS_MAX) {
        waste_calls_void(calls);
        return;
    }
    calls->at[calls->n++] = (struct waste_call){.slot = slot,
                                                .code = site.code,
                                                .open = true,
                                                .site = site,
                                                .begin = position,
                                                .hash = calls->hash,
                                                .words = calls->words,
                                                .inside = calls->inside.n};
    calls->n_open++;
    calls->innermost = position;
}

void waste_calls_leave(struct waste_calls *calls, uint64_t slot, uint64_t position)
{
    while (calls->n && calls->at[calls->n - 1].slot < slot)
        pop(calls, position, false);
    if (calls->n && calls->at[calls->n - 1].slot == slot)
        pop(calls, position, true);
}

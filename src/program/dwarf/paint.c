#include "program/dwarf/paint.h"

#include <stdbool.h>
#include <string.h>

/* ---- sorting by start: stable, so that equal ones stay in the order of their values */

enum { FEW = 24 };

static void few_sort(struct stretch *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct stretch held = at[i];
        size_t to = i;
        for (; to && at[to - 1].start > held.start; to--)
            at[to] = at[to - 1];
        at[to] = held;
    }
}

/* One byte of the starts after the other, lowest first. */
static void many_sort(struct stretch *at, size_t n, uint64_t least, uint64_t spread)
{
    struct stretch *from = at, *other = mem_resize(NULL, n * sizeof *at), *to = other;
    for (unsigned shift = 0; shift < 64 && spread >> shift; shift += 8) {
        size_t place[257] = {0};
        for (size_t i = 0; i < n; i++)
            place[((from[i].start - least) >> shift & 0xFF) + 1]++;
        for (unsigned i = 0; i < 256; i++)
            place[i + 1] += place[i];
        for (size_t i = 0; i < n; i++)
            to[place[(from[i].start - least) >> shift & 0xFF]++] = from[i];
        struct stretch *held = from;
        from = to;
        to = held;
    }
    if (from != at)
        memcpy(at, from, n * sizeof *at);
    mem_free(other);
}

static void stretches_sort(struct stretches *stretches)
{
    struct stretch *at = stretches->at;
    size_t n = stretches->n;
    uint64_t least = UINT64_MAX, most = 0;
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        sorted = sorted && (!i || at[i - 1].start <= at[i].start);
        least = at[i].start < least ? at[i].start : least;
        most = at[i].start > most ? at[i].start : most;
    }
    if (sorted)
        return;
    if (n <= FEW)
        few_sort(at, n);
    else
        many_sort(at, n, least, most - least);
}

/* ---- the claims at one place, the highest on top: a heap */

struct claim {
    uint64_t end;
    uint32_t value;
};
struct heap {
    VEC(struct claim);
};

static void heap_swap(struct heap *heap, size_t i, size_t j)
{
    struct claim held = heap->at[i];
    heap->at[i] = heap->at[j];
    heap->at[j] = held;
}

static void heap_add(struct heap *heap, struct claim claim)
{
    *vec_push(heap) = claim;
    for (size_t i = heap->n - 1; i && heap->at[i].value > heap->at[(i - 1) / 2].value;
         i = (i - 1) / 2)
        heap_swap(heap, i, (i - 1) / 2);
}

static void heap_drop_top(struct heap *heap)
{
    heap->at[0] = heap->at[--heap->n];
    for (size_t i = 0, child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && heap->at[child + 1].value > heap->at[child].value)
            child++;
        if (heap->at[i].value >= heap->at[child].value)
            return;
        heap_swap(heap, i, child);
    }
}

/* ---- painting */

static void painted_add(struct stretches *painted, size_t first, struct stretch part)
{
    struct stretch *before = painted->n > first ? &painted->at[painted->n - 1] : NULL;
    if (before && before->end == part.start && before->value == part.value)
        before->end = part.end;
    else
        *vec_push(painted) = part;
}

/* Paints from `from` up to where the next claim starts. */
static void paint_until(struct stretches *painted, size_t first, struct heap *heap, uint64_t from,
                        uint64_t until)
{
    while (heap->n && from < until) {
        struct claim top = heap->at[0];
        if (top.end <= from) {
            heap_drop_top(heap);
            continue;
        }
        uint64_t end = top.end < until ? top.end : until;
        painted_add(painted, first, (struct stretch){from, end, top.value});
        from = end;
    }
}

void stretches_paint(struct stretches *claims, struct stretches *ret_painted)
{
    struct heap heap = {0};
    size_t first = ret_painted->n;
    stretches_sort(claims);
    for (size_t i = 0; i < claims->n; i++) {
        if (claims->at[i].start < claims->at[i].end)
            heap_add(&heap, (struct claim){claims->at[i].end, claims->at[i].value});
        paint_until(ret_painted, first, &heap, claims->at[i].start,
                    i + 1 < claims->n ? claims->at[i + 1].start : UINT64_MAX);
    }
    vec_release(&heap);
}

const struct stretch *stretches_find(const struct stretch *at, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < at[low - 1].end ? &at[low - 1] : NULL;
}

uint64_t stretches_next(const struct stretch *at, size_t n, uint64_t address)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n ? at[low].start : UINT64_MAX;
}

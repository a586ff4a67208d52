#include "profile/path_parts.h"

#include "base/err.h"
#include "wire/varint.h"

void path_sheet_release(struct path_sheet *sheet)
{
    vec_release(&sheet->segments);
    vec_release(&sheet->blocks);
    vec_release(&sheet->parts);
    vec_release(&sheet->batches);
    vec_release(&sheet->body);
}

void path_parts_release(struct path_parts *parts)
{
    path_parts_clear(parts);
    vec_release(parts);
}

void path_parts_clear(struct path_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        path_sheet_release(&parts->at[i]);
    parts->n = 0;
}

#define COPY(to, from)                                                                             \
    do {                                                                                           \
        vec_room(to, (from)->n);                                                                   \
        if ((from)->n)                                                                             \
            memcpy((to)->at, (from)->at, (from)->n * sizeof *(from)->at);                          \
        (to)->n = (from)->n;                                                                       \
    } while (0)

void path_parts_merge(struct path_parts *into, const struct path_parts *other,
                      const uint32_t *modules, size_t n_modules)
{
    for (size_t i = 0; i < other->n; i++) {
        const struct path_sheet *from = &other->at[i];
        struct path_sheet *to = vec_push(into);
        COPY(&to->segments, &from->segments);
        COPY(&to->blocks, &from->blocks);
        COPY(&to->parts, &from->parts);
        COPY(&to->batches, &from->batches);
        COPY(&to->body, &from->body);
        for (size_t k = 0; k < to->segments.n; k++) {
            ASSERT(to->segments.at[k].module < n_modules);
            to->segments.at[k].module = modules[to->segments.at[k].module];
        }
    }
}

/* ---- bodies */

void parts_habits_release(struct parts_habits *habits)
{
    vec_release(habits);
    *habits = (struct parts_habits){0};
}

/* An exit that was not expected. */
static void habits_change(struct parts_habits *habits, uint32_t exit)
{
    vec_reserve(habits, (size_t)exit + 1);
    if (habits->at[exit] == HABIT_NONE)
        habits->at[exit] = HABIT_OPEN;
    if (habits->begun)
        habits->at[habits->exit] = exit + HABIT_FIRST;
    habits->begun = true;
    habits->exit = exit;
}

void parts_write(struct bytes *body, struct parts_habits *habits, const uint32_t *exits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t exit = exits[i];
        if (habits->begun && habits->at[habits->exit] == exit + HABIT_FIRST) {
            habits->expected++;
            habits->exit = exit;
            continue;
        }
        bytes_reserve(body, body->n + 2 * VARINT_BYTES_MAX);
        uint8_t *at = varint_put(varint_put(body->at + body->n, habits->expected), exit);
        body->n = (size_t)(at - body->at);
        habits->expected = 0;
        habits_change(habits, exit);
    }
}

void parts_write_end(struct bytes *body, struct parts_habits *habits)
{
    bytes_reserve(body, body->n + VARINT_BYTES_MAX);
    body->n = (size_t)(varint_put(body->at + body->n, habits->expected) - body->at);
    habits->expected = 0;
}

void parts_reader_open(struct parts_reader *reader, const struct bytes *body)
{
    *reader = (struct parts_reader){.at = body->at, .end = body->at + body->n};
}

void parts_reader_close(struct parts_reader *reader)
{
    parts_habits_release(&reader->habits);
}

/* How many expected ones come next; false: the body is over or invalid. */
static bool expected_read(struct parts_reader *reader)
{
    uint64_t n;
    if (!varint_get(&reader->at, reader->end, &n) || n > UINT32_MAX)
        return false;
    reader->habits.expected = (uint32_t)n;
    return reader->other = true;
}

static bool other_read(struct parts_reader *reader)
{
    uint64_t exit;
    if (!varint_get(&reader->at, reader->end, &exit) || exit >= PARTS_EXITS_MAX)
        return false;
    habits_change(&reader->habits, (uint32_t)exit);
    reader->other = false;
    return true;
}

static bool expected_take(struct parts_habits *habits)
{
    uint32_t habit = habits->begun ? habits->at[habits->exit] : HABIT_NONE;
    if (habit < HABIT_FIRST)
        return false;
    habits->expected--;
    habits->exit = habit - HABIT_FIRST;
    return true;
}

bool parts_read(struct parts_reader *reader, uint32_t *ret_exits, size_t n)
{
    struct parts_habits *habits = &reader->habits;
    for (size_t i = 0; i < n; i++) {
        if (!habits->expected && !reader->other && !expected_read(reader))
            return false;
        if (habits->expected ? !expected_take(habits) : !other_read(reader))
            return false;
        ret_exits[i] = habits->exit;
    }
    return true;
}

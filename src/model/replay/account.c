#include "model/replay/account.h"

#include "base/err.h"
#include "base/memory.h"
#include "model/replay/progress.h"

enum { GROUP_MAX = 64 };

/* What slows down, of what happens: not that a branch was taken, or that a value came from a store.
 */
#define SLOW_EVENTS (~(uint32_t)(CORE_TAKEN | CORE_FORWARDED))

struct member {
    uint32_t id, events;
};

struct writer {
    uint64_t complete;
    uint32_t id;
};

struct account_listener {
    struct replay_listener listener;
    struct account *account;
    uint64_t last; /* cycle of the group that retires */
    bool open;     /* the group's cycle counts */
    bool warm;     /* the one before counted */
    uint32_t n_group;
    struct member group[GROUP_MAX];
    struct member culprit; /* whose guess was wrong, if it is the last that retired */
    bool flushed;
    struct writer writers[REGISTER_N];
    struct progress progress;
};

/* ---- rows */

void account_init(struct account *account)
{
    *account = (struct account){0};
}

void account_release(struct account *account)
{
    vec_release(&account->rows);
    vec_release(&account->touched);
}

void account_clear(struct account *account)
{
    for (size_t i = 0; i < account->touched.n; i++)
        account->rows.at[account->touched.at[i]] = (struct account_row){0};
    account->touched.n = 0;
    account->cycles = account->instructions = account->clipped = 0;
}

uint64_t account_row_units(const struct account_row *row)
{
    uint64_t units = 0;
    for (int i = 0; i < ACCOUNT_STATES; i++)
        units += row->units[i];
    return units;
}

u128 account_sum(const struct account *account)
{
    u128 sum = 0;
    for (size_t i = 0; i < account->touched.n; i++)
        sum += account_row_units(&account->rows.at[account->touched.at[i]]);
    return sum;
}

static bool row_is_empty(const struct account_row *row)
{
    return !row->retired && !row->aborted && !account_row_units(row);
}

struct account_row *account_row(struct account *account, uint32_t id)
{
    while (account->rows.n <= id)
        *vec_push(&account->rows) = (struct account_row){0};
    struct account_row *row = &account->rows.at[id];
    if (row_is_empty(row))
        *vec_push(&account->touched) = id;
    return row;
}

/* ---- time */

/* The lightest makes room, and goes to the others: what came first, while the program started, must
 * not keep out what goes on for the rest of it. */
static struct account_signature *signature_room(struct account_row *row)
{
    struct account_signature *others = &row->signatures[ACCOUNT_SIGNATURES - 1];
    struct account_signature *lightest = row->signatures;
    for (struct account_signature *at = row->signatures; at < others; at++)
        if (at->units < lightest->units)
            lightest = at;
    others->events = SIGNATURE_OTHERS;
    others->state = ACCOUNT_STATES;
    others->units += lightest->units;
    lightest->units = 0;
    return lightest;
}

static void units_add(struct account *account, const struct member *member,
                      enum account_state state, uint64_t units)
{
    struct account_row *row = account_row(account, member->id);
    row->units[state] += units;
    struct account_signature *signature = row->signatures;
    const struct account_signature *last = &row->signatures[ACCOUNT_SIGNATURES - 1];
    while (signature < last && signature->units &&
           (signature->events != member->events || signature->state != state))
        signature++;
    if (signature == last)
        signature = signature_room(row);
    signature->events = member->events;
    signature->state = state;
    signature->units += units;
}

/* The cycle of the group that has retired is shared out. */
static void group_settle(struct account_listener *listener)
{
    uint32_t n = listener->n_group;
    if (!n || !listener->open)
        return;
    for (uint32_t i = 0; i < n; i++)
        units_add(listener->account, &listener->group[i], ACCOUNT_RETIRES,
                  (uint64_t)ACCOUNT_UNIT * (i + 1) / n - (uint64_t)ACCOUNT_UNIT * i / n);
    listener->account->cycles++;
    listener->n_group = 0;
}

/* Cycles in which nobody retired, between the last group and this one. */
static void gap_settle(struct account_listener *listener, const struct member *member,
                       const struct core_times *times)
{
    uint64_t begin = listener->last + 1, end = times->retire;
    uint64_t empty = times->dispatch < end ? times->dispatch : end;
    empty = empty > begin ? empty - begin : 0;
    uint64_t stalled = end - begin - empty;
    if (empty && listener->flushed)
        units_add(listener->account, &listener->culprit, ACCOUNT_FLUSHES, empty * ACCOUNT_UNIT);
    else if (empty)
        units_add(listener->account, member, ACCOUNT_DRAINED, empty * ACCOUNT_UNIT);
    if (stalled)
        units_add(listener->account, member, ACCOUNT_STALLS, stalled * ACCOUNT_UNIT);
    listener->account->cycles += end - begin;
}

static void time_take(struct account_listener *listener, const struct replay_step *step)
{
    struct member member = {step->insn->id, step->times->events & SLOW_EVENTS};
    bool later = step->times->retire != listener->last;
    if (later) {
        group_settle(listener);
        if (!step->warming && listener->warm)
            gap_settle(listener, &member, step->times);
        listener->last = step->times->retire;
        listener->open = !step->warming && listener->warm;
        listener->n_group = 0;
    }
    if (listener->open && listener->n_group < GROUP_MAX)
        listener->group[listener->n_group++] = member;
    listener->flushed = step->times->events & CORE_MISPREDICT;
    listener->culprit = member;
    listener->warm = !step->warming;
}

/* ---- waiting */

static const struct writer *last_writer(const struct account_listener *listener,
                                        const struct core_insn *insn)
{
    const struct writer *last = NULL;
    for (uint8_t i = 0; i < insn->n_sources; i++) {
        const struct writer *writer = &listener->writers[insn->sources[i]];
        if (!last || writer->complete > last->complete)
            last = writer;
    }
    for (uint8_t i = 0; i < insn->n_addresses; i++) {
        const struct writer *writer = &listener->writers[insn->addresses[i]];
        if (!last || writer->complete > last->complete)
            last = writer;
    }
    return last;
}

/* As with signatures. */
static struct account_producer *producer_room(struct account_row *row)
{
    struct account_producer *others = &row->producers[ACCOUNT_PRODUCERS - 1];
    struct account_producer *lightest = row->producers;
    for (struct account_producer *at = row->producers; at < others; at++)
        if (at->cycles < lightest->cycles)
            lightest = at;
    others->id = REPLAY_NONE;
    others->cycles += lightest->cycles;
    lightest->cycles = 0;
    return lightest;
}

static void producer_add(struct account_row *row, uint32_t id, uint64_t cycles)
{
    struct account_producer *producer = row->producers;
    const struct account_producer *last = &row->producers[ACCOUNT_PRODUCERS - 1];
    while (producer < last && producer->cycles && producer->id != id)
        producer++;
    if (producer == last)
        producer = producer_room(row);
    producer->id = id;
    producer->cycles += cycles;
    row->waits++;
}

static void waiting_take(struct account_listener *listener, const struct replay_step *step,
                         struct account_row *row)
{
    const struct core_insn *insn = &step->insn->core;
    const struct writer *last = last_writer(listener, insn);
    uint64_t could = step->times->dispatch + 1;
    if (row && last && last->complete > could)
        producer_add(row, last->id, last->complete - could);
    for (uint8_t i = 0; i < insn->n_results; i++)
        listener->writers[insn->results[i]] =
            (struct writer){step->times->complete, step->insn->id};
}

/* ---- steps */

static void stages_take(struct account_row *row, const struct core_times *times)
{
    row->stages[STAGE_FETCH] += times->dispatch - times->fetch;
    row->stages[STAGE_DISPATCH] += times->ready - times->dispatch;
    row->stages[STAGE_READY] += times->issue - times->ready;
    row->stages[STAGE_ISSUE] += times->complete - times->issue;
    row->stages[STAGE_COMPLETE] += times->retire - times->complete;
    if (times->load_issue) {
        row->stages[STAGE_LOAD] += times->load_complete - times->load_issue;
        row->loads++;
    }
    for (uint32_t events = times->events; events; events &= events - 1)
        row->events[__builtin_ctz(events)]++;
}

static void step_take(struct replay_listener *of, const struct replay_step *step)
{
    struct account_listener *listener = (struct account_listener *)of;
    if (step->aborted) {
        if (!step->warming)
            account_row(listener->account, step->insn->id)->aborted++;
        progress_take(&listener->progress, step);
        return;
    }
    time_take(listener, step);
    progress_take(&listener->progress, step);
    struct account_row *row = NULL;
    if (!step->warming) {
        row = account_row(listener->account, step->insn->id);
        row->retired++;
        listener->account->instructions++;
        stages_take(row, step->times);
    }
    waiting_take(listener, step, row);
}

void account_settle(struct account_listener *listener)
{
    group_settle(listener);
    progress_settle(&listener->progress, listener->last);
    listener->warm = listener->open = false;
}

static void gap_take(struct replay_listener *of)
{
    account_settle((struct account_listener *)of);
}

struct account_listener *account_listen(struct account *account, struct replay *replay)
{
    struct account_listener *listener = mem_alloc(sizeof *listener);
    listener->listener = (struct replay_listener){step_take, gap_take};
    listener->account = account;
    listener->warm = true; /* from the core's start on */
    progress_init(&listener->progress, account);
    replay_listen(replay, &listener->listener);
    return listener;
}

void account_listener_free(struct account_listener *listener)
{
    progress_release(&listener->progress);
    mem_free(listener);
}

#include "import/perf_data.h"

#include "base/err.h"
#include "import/branch_records.h"
#include "import/perf_hardware.h"
#include "import/perf_order.h"
#include "import/perf_record.h"
#include "import/perf_space.h"
#include "profile/events.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "records/spe.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Of perf's own. */
enum { RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71, AUXTRACE_SPE = 4 };

struct names_seen {
    VEC(const char *);
};

struct reading {
    struct perf_file file;
    struct perf_order order;
    struct perf_space space;
    struct profile *profile;
    const struct perf_kind *first; /* the event whose samples become stacks; NULL: none yet */
    struct perf_machine machine;
    bool has_spe, spe_first;
    uint64_t spe_period;
    struct map threads; /* pid and tid -> name, index i is of names.at[i] */
    struct names_seen names;
    struct map tids; /* index i is of pids.at[i] */
    struct pids_seen {
        VEC(uint32_t);
    } pids; /* that threads are of */
    struct branch_records branches;
    struct map counters; /* ids of groups' counters; index i is of counts.at[i] */
    struct counts_seen {
        VEC(uint64_t);
    } counts; /* their last values */
    uint64_t taken;
    struct sampled {
        uint64_t n, weight;
        u128 squares; /* of weights */
    } user, kernel;
};

static uint64_t weight_of(const struct perf_seen *seen)
{
    if (seen->has & PERF_SAMPLE_PERIOD)
        return seen->period;
    return seen->kind->period ? seen->kind->period : 1;
}

/* ---- places */

static void sample_place(struct reading *reading, struct sample *sample, uint32_t pid)
{
    struct place place;
    if (sample_knows(sample, SAMPLE_PC)) {
        place = perf_space_code(&reading->space, pid, (struct avma){sample->at[SAMPLE_PC]}, false,
                                NULL);
        sample_set(sample, SAMPLE_MODULE, place.module);
        sample_set(sample, SAMPLE_PC, place.address.v);
    }
    if (sample_knows(sample, SAMPLE_TARGET)) {
        place = perf_space_code(&reading->space, pid, (struct avma){sample->at[SAMPLE_TARGET]},
                                false, NULL);
        sample_set(sample, SAMPLE_TARGET_MODULE, place.module);
        sample_set(sample, SAMPLE_TARGET, place.address.v);
    }
    if (sample_knows(sample, SAMPLE_DATA) &&
        perf_space_data(&reading->space, pid, (struct avma){sample->at[SAMPLE_DATA]}, &place)) {
        sample_set(sample, SAMPLE_DATA_MODULE, place.module);
        sample_set(sample, SAMPLE_DATA_LINKED, place.address.v);
    }
}

static void thread_see(struct reading *reading, uint32_t pid, uint32_t tid)
{
    uint32_t key[2] = {pid, tid};
    uint32_t index = map_find(&reading->threads, key);
    const char *name = index == MAP_NONE ? "" : reading->names.at[index];
    threads_row(&reading->profile->threads, &reading->profile->arena, pid, tid, name);
}

struct interrupted {
    uint32_t pid, tid;
    uint64_t ip, weight;
    uint64_t
        time_ns;  /* of the clock that perf used, mostly since the machine started; 0: not known */
    uint32_t cpu; /* SLICE_CPU_NONE: not known */
    bool kernel;
    const uint8_t *chain;
    uint64_t n_chain;
};

/* Outermost first. Marks say whose the addresses behind them are; the innermost is the interrupted
 * place itself. */
static uint32_t chain_nodes(struct reading *reading, struct stacks *stacks,
                            const struct interrupted *it, uint32_t node)
{
    for (uint64_t i = it->n_chain; i-- > 0;) {
        uint64_t address, before;
        memcpy(&address, it->chain + 8 * i, sizeof address);
        memcpy(&before, it->chain + 8 * (i ? i - 1 : 0), sizeof before);
        if (address >= PERF_CONTEXT_MAX || address == 0)
            continue;
        bool innermost = address == it->ip && (i == 0 || (i == 1 && before >= PERF_CONTEXT_MAX));
        if (innermost)
            continue;
        bool top = i == 0 || before >= PERF_CONTEXT_MAX; /* where user code entered the kernel */
        struct place place = perf_space_code(&reading->space, it->pid,
                                             (struct avma){address - (top ? 0 : 1)}, false, NULL);
        node = stacks_node(stacks, node, place.module, place.address.v);
    }
    return node;
}

static struct place place_of(struct reading *reading, const struct interrupted *it)
{
    bool missed;
    struct place place =
        perf_space_code(&reading->space, it->pid, (struct avma){it->ip}, it->kernel, &missed);
    thread_see(reading, it->pid, it->tid);
    if (missed)
        sum_add(&reading->profile->totals.losses[LOSS_unmapped], 1);
    return place;
}

/* The node of the interrupted place, below that of its thread. */
static uint32_t stack_node(struct reading *reading, struct stacks *stacks, uint32_t thread,
                           const struct interrupted *it, struct place place)
{
    uint32_t node = chain_nodes(reading, stacks, it, thread);
    return stacks_node(stacks, node, place.module, place.address.v);
}

static void stack_add(struct reading *reading, const struct interrupted *it)
{
    struct profile *profile = reading->profile;
    struct stacks *stacks = &profile->stacks;
    struct sampled *sampled = it->kernel ? &reading->kernel : &reading->user;
    uint32_t group = (uint32_t)(reading->taken++ % STACK_GROUPS);
    uint32_t thread = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(it->pid, it->tid));
    uint32_t node = stack_node(reading, stacks, thread, it, place_of(reading, it));
    stacks_add(stacks, node, group, it->weight);
    if (it->time_ns)
        times_add(profile, node, group, it->weight, it->time_ns, it->cpu);
    sum_add(&sampled->n, 1);
    sum_add(&sampled->weight, it->weight);
    sum_add_wide(&sampled->squares, (u128)it->weight * it->weight);
}

/* ---- events */

static bool is_clock(const struct perf_kind *kind)
{
    return kind->type == PERF_TYPE_SOFTWARE && kind->config <= PERF_COUNT_SW_TASK_CLOCK;
}

/* Names have modifiers: cpu-clock:u is not cpu-clock. */
static bool is_same_event(const struct perf_kind *a, const struct perf_kind *b)
{
    return a == b || (a->type == b->type && a->config == b->config && a->name && b->name &&
                      strcmp(a->name, b->name) == 0);
}

static const char *event_name(const struct reading *reading, const struct perf_kind *kind)
{
    const char *pmu = perf_file_pmu(&reading->file, kind->type);
    if (kind->name || pmu)
        return kind->name ? kind->name : pmu;
    return arena_format(&reading->profile->arena, "type %u, config %#llx", kind->type,
                        (unsigned long long)kind->config);
}

/* Of another event than the first. */
static void other_add(struct reading *reading, const struct perf_kind *kind,
                      const struct interrupted *it)
{
    struct stacks *events = &reading->profile->events;
    struct place place = place_of(reading, it);
    uint32_t thread = events_count(reading->profile, event_name(reading, kind), is_clock(kind),
                                   stack_thread(it->pid, it->tid));
    uint32_t node = stack_node(reading, events, thread, it, place);
    stacks_add(events, node, (uint32_t)(reading->taken++ % STACK_GROUPS), it->weight);
}

/* ---- samples */

static void lose(struct reading *reading, enum loss loss, uint64_t n)
{
    sum_add(&reading->profile->totals.losses[loss], n);
}

static void event_take(struct reading *reading, const struct perf_kind *kind,
                       const struct interrupted *it)
{
    if (is_same_event(kind, reading->first))
        stack_add(reading, it);
    else
        other_add(reading, kind, it);
}

/* What the counter has more than in the sample before. */
static uint64_t counter_more(struct reading *reading, const struct perf_counter *counter)
{
    uint32_t index = map_add(&reading->counters, &counter->id);
    if (index == reading->counts.n)
        *vec_push(&reading->counts) = 0;
    uint64_t before = reading->counts.at[index];
    reading->counts.at[index] = counter->value;
    return counter->value > before ? counter->value - before : 0;
}

/* Only the first of a group makes samples: each event counts there as often as it has happened
 * since the sample before, as in perf report. */
static void group_take(struct reading *reading, const struct perf_seen *seen,
                       const struct interrupted *it)
{
    for (uint64_t i = 0; i < seen->n_counters; i++) {
        struct perf_counter counter = perf_seen_counter(&reading->file, seen, i);
        struct interrupted own = *it;
        if (!counter.kind) {
            lose(reading, LOSS_garbled, 1);
            continue;
        }
        own.weight = counter_more(reading, &counter);
        if (own.weight)
            event_take(reading, counter.kind, &own);
    }
}

static void seen_take(struct reading *reading, const struct perf_seen *seen)
{
    enum sample_origin origin = perf_hardware_origin(&reading->machine, &reading->file, seen);
    struct sample sample = {0};
    struct interrupted it = {.pid = seen->pid,
                             .tid = seen->tid,
                             .ip = seen->ip,
                             .weight = weight_of(seen),
                             .time_ns = seen->time_ns,
                             .cpu = seen->has & PERF_SAMPLE_CPU ? seen->cpu : SLICE_CPU_NONE,
                             .kernel = seen->mode != PERF_RECORD_MISC_USER,
                             .chain = seen->chain,
                             .n_chain = seen->n_chain};
    if (seen->n_counters)
        group_take(reading, seen, &it);
    else
        event_take(reading, seen->kind, &it);
    if (seen->n_branches && branch_records_usable(seen->kind->branch_type))
        branch_records_add(&reading->branches, seen);
    else if (seen->n_branches)
        lose(reading, LOSS_branch_chosen, 1);
    if (origin == ORIGINS)
        return;
    if (!perf_hardware_decode(&reading->machine, seen, origin, &sample)) {
        lose(reading, LOSS_garbled, 1);
        return;
    }
    sample_set(&sample, SAMPLE_WEIGHT, weight_of(seen));
    sample_place(reading, &sample, seen->pid);
    *vec_push(&reading->profile->samples) = sample;
}

/* ---- traces */

static void thread_note(struct reading *reading, uint32_t pid, uint32_t tid)
{
    uint32_t index = map_add(&reading->tids, &tid);
    if (index == reading->pids.n)
        *vec_push(&reading->pids) = pid;
    reading->pids.at[index] = pid;
}

/* Traces name threads alone. Of one that nobody told of, its own number is the best guess. */
static uint32_t pid_of(const struct reading *reading, uint32_t tid)
{
    uint32_t index = map_find(&reading->tids, &tid);
    return index == MAP_NONE ? tid : reading->pids.at[index];
}

static void trace_take(struct reading *reading, const struct perf_trace *trace)
{
    struct spe_reader reader = {
        .at = trace->bytes, .end = trace->bytes + trace->n, .place = trace->offset};
    struct sample sample;
    while (spe_read(&reader, &sample)) {
        if (!sample_knows(&sample, SAMPLE_TID) && trace->tid != UINT32_MAX)
            sample_set(&sample, SAMPLE_TID, trace->tid);
        if (trace->cpu != UINT32_MAX)
            sample_set(&sample, SAMPLE_CPU, trace->cpu);
        uint32_t tid = (uint32_t)sample.at[SAMPLE_TID], pid = pid_of(reading, tid);
        if (sample_knows(&sample, SAMPLE_TID))
            sample_set(&sample, SAMPLE_PID, pid);
        sample_set(&sample, SAMPLE_WEIGHT, reading->spe_period);
        if (reading->spe_first && sample_knows(&sample, SAMPLE_PC))
            stack_add(reading, &(struct interrupted){.pid = pid,
                                                     .tid = tid,
                                                     .ip = sample.at[SAMPLE_PC],
                                                     .weight = reading->spe_period,
                                                     .cpu = SLICE_CPU_NONE,
                                                     .kernel = sample.at[SAMPLE_PC] >> 63});
        sample_place(reading, &sample, pid);
        *vec_push(&reading->profile->samples) = sample;
    }
    lose(reading, LOSS_garbled, reader.bad_bytes);
}

/* ---- records */

static void called_take(struct reading *reading, const struct perf_called *called)
{
    uint32_t key[2] = {called->pid, called->tid};
    uint32_t index = map_add(&reading->threads, key);
    if (index == reading->names.n)
        *vec_push(&reading->names) = called->name;
    reading->names.at[index] = called->name;
    thread_note(reading, called->pid, called->tid);
    if (called->exec)
        perf_space_exec(&reading->space, called->pid);
}

static uint64_t lost_of(const struct perf_file *file, const struct perf_span *span)
{
    uint64_t words[2] = {0};
    size_t skip = span->type == PERF_RECORD_LOST ? 1 : 0;
    if (span->bytes < 8 + sizeof words - (skip ? 0 : 8))
        return 0;
    memcpy(words, file->bytes + span->offset + 8, sizeof words - (skip ? 0 : 8));
    return words[skip];
}

static void trace_info_take(struct reading *reading, const struct perf_span *span)
{
    uint32_t type = 0;
    if (span->bytes >= 12)
        memcpy(&type, reading->file.bytes + span->offset + 8, sizeof type);
    reading->has_spe |= type == AUXTRACE_SPE;
}

/* False: it does not hold what it should. */
static bool span_take(struct reading *reading, const struct perf_span *span)
{
    const struct perf_file *file = &reading->file;
    union {
        struct perf_seen seen;
        struct perf_mapped map;
        struct perf_birth birth;
        struct perf_called called;
        struct perf_trace trace;
    } it;
    bool ok = true;
    switch (span->type) {
    case PERF_RECORD_SAMPLE:
        if ((ok = perf_seen_read(file, span, &it.seen)))
            seen_take(reading, &it.seen);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        if ((ok = perf_mapped_read(file, span, &it.map)))
            perf_space_map(&reading->space, &it.map);
        break;
    case PERF_RECORD_FORK:
        if ((ok = perf_birth_read(file, span, &it.birth))) {
            perf_space_fork(&reading->space, &it.birth);
            thread_note(reading, it.birth.pid, it.birth.tid);
        }
        break;
    case PERF_RECORD_COMM:
        if ((ok = perf_called_read(file, span, &it.called)))
            called_take(reading, &it.called);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES: lose(reading, LOSS_sample_lost, lost_of(file, span)); break;
    case RECORD_AUXTRACE:
        if (reading->has_spe && (ok = perf_trace_read(file, span, &it.trace)))
            trace_take(reading, &it.trace);
        break;
    default: break;
    }
    return ok;
}

/* ---- the whole */

/* The event that perf was asked for first, of those that have samples. */
static void first_find(struct reading *reading)
{
    struct perf_seen seen;
    for (size_t i = 0; i < reading->order.n; i++)
        if (reading->order.at[i].type == PERF_RECORD_SAMPLE &&
            perf_seen_read(&reading->file, &reading->order.at[i], &seen) &&
            (!reading->first || seen.kind < reading->first))
            reading->first = seen.kind; /* both are in file.kinds */
}

/* Which events come, before any is taken: traces come last, but may be all there is. */
static void kinds_scan(struct reading *reading)
{
    uint64_t sampled = 0;
    reading->spe_period = 1;
    for (size_t i = 0; i < reading->order.n; i++) {
        sampled += reading->order.at[i].type == PERF_RECORD_SAMPLE;
        if (reading->order.at[i].type == RECORD_AUXTRACE_INFO)
            trace_info_take(reading, &reading->order.at[i]);
    }
    reading->spe_first = reading->has_spe && !sampled;
    for (size_t i = 0; i < reading->file.kinds.n && reading->has_spe; i++) {
        const struct perf_kind *kind = &reading->file.kinds.at[i];
        const char *pmu = perf_file_pmu(&reading->file, kind->type);
        if (pmu && strncmp(pmu, "arm_spe", 7) == 0 && kind->period)
            reading->spe_period = kind->period;
    }
    first_find(reading);
    branch_records_init(&reading->branches, &reading->space, sampled);
}

/* Weights of clocks are nanoseconds; all others have a name. */
static void event_tell(const struct reading *reading)
{
    const struct perf_kind *kind = reading->first;
    if (reading->spe_first)
        profile_fact(reading->profile, "event", "arm_spe");
    else if (kind)
        event_name_first(reading->profile, event_name(reading, kind), is_clock(kind));
}

static bool reading_open(struct reading *reading, struct profile *profile, const void *bytes,
                         size_t n, const char *binary, struct err *err)
{
    *reading = (struct reading){.profile = profile};
    if (!perf_file_open(&reading->file, bytes, n, err))
        return false;
    if (!perf_order_make(&reading->order, &reading->file, err)) {
        perf_file_release(&reading->file);
        return false;
    }
    map_init(&reading->threads, 2 * sizeof(uint32_t));
    map_init(&reading->tids, sizeof(uint32_t));
    map_init(&reading->counters, sizeof(uint64_t));
    perf_space_init(&reading->space, profile, &reading->file, binary);
    reading->machine = perf_machine_of(&reading->file);
    kinds_scan(reading);
    return true;
}

static void reading_close(struct reading *reading)
{
    branch_records_release(&reading->branches);
    perf_space_release(&reading->space);
    map_release(&reading->threads);
    map_release(&reading->tids);
    map_release(&reading->counters);
    vec_release(&reading->counts);
    vec_release(&reading->pids);
    vec_release(&reading->names);
    vec_release(&reading->order);
    perf_file_release(&reading->file);
}

/* Samples of a clock weigh nanoseconds: together, the CPU time that they stand for. */
static void clock_tell(struct reading *reading)
{
    struct profile *profile = reading->profile;
    const char *event = profile_fact_find(profile, "event");
    if (event && strcmp(event, "cpu-clock") != 0 && strcmp(event, "task-clock") != 0)
        return;
    profile->totals.user_ns = reading->user.weight;
    profile->totals.kernel_ns = reading->kernel.weight;
}

/* With branches that could be followed it is a sampled profile, as if each sample had been walked;
 * without, a plain one. */
static void mode_tell(struct reading *reading)
{
    struct profile *profile = reading->profile;
    struct totals *totals = &profile->totals;
    const struct sampled *user = &reading->user, *kernel = &reading->kernel;
    profile->mode = totals->windows ? PROFILE_SAMPLED : PROFILE_PLAIN;
    totals->interrupts = user->n;
    sum_add(&totals->interrupts, kernel->n);
    if (profile->mode == PROFILE_PLAIN) {
        totals->time = user->weight;
        return;
    }
    totals->samples = user->n;
    totals->sampled_ns = user->weight;
    totals->sampled_xx = user->squares;
    totals->kernel_samples = kernel->n;
}

bool perf_data_import(struct profile *profile, const void *bytes, size_t n, const char *binary,
                      struct err *err)
{
    struct reading reading;
    if (!reading_open(&reading, profile, bytes, n, binary, err))
        return false;
    for (size_t i = 0; i < reading.order.n; i++)
        if (!span_take(&reading, &reading.order.at[i]))
            lose(&reading, LOSS_garbled, 1);
    branch_records_finish(&reading.branches);
    mode_tell(&reading);
    event_tell(&reading);
    clock_tell(&reading);
    if (reading.file.command)
        profile->command = arena_string(&profile->arena, reading.file.command);
    reading_close(&reading);
    return true;
}

/* ---- telling */

static void seen_tell(const struct reading *reading, uint64_t offset, const struct perf_seen *seen,
                      const struct perf_listener *listener)
{
    enum sample_origin origin = perf_hardware_origin(&reading->machine, &reading->file, seen);
    if (origin == ORIGINS)
        return;
    listener->begin(listener->parts.closure, offset, sample_origin_name(origin));
    perf_hardware_tell(seen, origin, &listener->parts);
}

bool perf_data_tell(const void *bytes, size_t n, const struct perf_listener *listener,
                    struct err *err)
{
    struct profile none;
    struct reading reading;
    profile_init(&none);
    bool ok = reading_open(&reading, &none, bytes, n, NULL, err);
    for (size_t i = 0; ok && i < reading.order.n; i++) {
        const struct perf_span *span = &reading.order.at[i];
        struct perf_seen seen;
        struct perf_trace trace;
        if (span->type == PERF_RECORD_SAMPLE && perf_seen_read(&reading.file, span, &seen))
            seen_tell(&reading, span->offset, &seen, listener);
        if (span->type != RECORD_AUXTRACE || !reading.has_spe ||
            !perf_trace_read(&reading.file, span, &trace))
            continue;
        struct spe_reader reader = {
            .at = trace.bytes, .end = trace.bytes + trace.n, .place = trace.offset};
        while (spe_seek(&reader)) {
            listener->begin(listener->parts.closure, (uint64_t)(reader.at - reading.file.bytes),
                            "spe");
            spe_tell(&reader, &listener->parts);
        }
    }
    if (ok)
        reading_close(&reading);
    profile_release(&none);
    return ok;
}

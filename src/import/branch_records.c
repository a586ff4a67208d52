#include "import/branch_records.h"

#include "import/perf_record.h"
#include "program/elf/image.h"
#include "program/insn/disasm.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
    BATCHES = 64,           /* of a file with enough samples */
    BATCH_SAMPLES = 8,      /* at least */
    RUN_BYTES = 1 << 17,    /* no straight run is longer */
    DECODED_MOST = 1 << 25, /* instructions of all different runs: a real file has far fewer */
    CALL_BYTES = 7,         /* the longest usual call */
    SPEC_SHIFT = 24,        /* of a record's flags: two bits */
    SPEC_WRONG_PATH = 1,
};

/* One execution: in the units of time and of count (profile/batch.h), all of one rate. */
static const uint64_t ONE_TIME = 1, ONE_COUNT = 1 << RATE_BITS;

/* Keys: no padding. */
struct run_key {
    uint32_t module, unused;
    uint64_t start, last;
};
struct hop_key {
    uint32_t from_module, to_module;
    uint64_t from, to;
};

void branch_records_init(struct branch_records *records, struct perf_space *space, uint64_t samples)
{
    uint64_t each = samples / BATCHES;
    *records = (struct branch_records){.space = space};
    records->per_batch = each < BATCH_SAMPLES ? BATCH_SAMPLES : (uint32_t)each;
    branch_raw_init(&records->raw, space);
    batch_init(&records->batch);
    map_init(&records->run_keys, sizeof(struct run_key));
    map_init(&records->hop_keys, sizeof(struct hop_key));
}

void branch_records_release(struct branch_records *records)
{
    branch_raw_release(&records->raw);
    branch_turns_release(&records->turns);
    batch_release(&records->batch);
    map_release(&records->run_keys);
    map_release(&records->hop_keys);
    vec_release(&records->runs);
    vec_release(&records->parts);
    vec_release(&records->hops);
}

bool branch_records_usable(uint64_t branch_type)
{
    return branch_type & PERF_SAMPLE_BRANCH_ANY && !(branch_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

static void lose(struct branch_records *records, enum loss loss)
{
    sum_add(&records->space->profile->totals.losses[loss], records->times);
}

/* ---- indices of the batch */

static uint32_t edge_index(struct branch_records *records, struct place from, struct place to,
                           enum edge_kind kind)
{
    struct edge_key key = {from.module, to.module, from.address, to.address, kind};
    return batch_edge_index(&records->batch, &key);
}

static void edge_add(struct branch_records *records, uint32_t edge)
{
    if (edge != MAP_NONE)
        batch_add_edge_at(&records->batch, edge, records->times * ONE_TIME,
                          records->times * ONE_COUNT);
}

/* The other way of a branch: struct sums has how often both were gone in the place of its time. */
static void way_add(struct branch_records *records, uint32_t fallen, bool fell)
{
    if (fallen != MAP_NONE)
        batch_add_edge_at(&records->batch, fallen, records->times * ONE_COUNT,
                          fell ? records->times * ONE_COUNT : 0);
}

/* ---- straight runs */

static void part_add(struct branch_records *records, uint32_t module, uint64_t start,
                     const struct instruction *last, uint32_t n, bool ends)
{
    struct range_key key = {module, n, {start}, last->at};
    struct place from = {module, last->at}, to = {module, instruction_next(last)};
    bool falls = last->kind == INSTRUCTION_COND;
    *vec_push(&records->parts) = (struct branch_part){
        .range = batch_range_index(&records->batch, &key),
        .edge = ends ? MAP_NONE : edge_index(records, from, to, falls ? EDGE_FALL : EDGE_SYSCALL),
        .falls = falls};
}

/* False: control cannot have come from start to last in a straight line. */
static bool parts_list(struct branch_records *records, const struct run_key *key,
                       struct branch_run *run)
{
    const struct image *image = perf_space_image(records->space, key->module);
    uint64_t at = key->start, start = at;
    uint32_t n = 0;
    struct instruction instruction;
    if (!image || key->last < key->start || key->last - key->start > RUN_BYTES ||
        records->decoded > DECODED_MOST)
        return false;
    for (; at <= key->last; at = instruction_next(&instruction).v) {
        if (!disasm_at(image, (struct svma){at}, &instruction))
            return false;
        bool ends = at == key->last;
        bool goes_on = instruction.kind == INSTRUCTION_PLAIN ||
                       instruction.kind == INSTRUCTION_SYSCALL ||
                       instruction.kind == INSTRUCTION_COND;
        if (!ends && !goes_on)
            return false;
        n++;
        run->instructions++;
        run->passed += !ends && instruction.kind == INSTRUCTION_COND;
        records->decoded++;
        if (ends || instruction.kind != INSTRUCTION_PLAIN) {
            part_add(records, key->module, start, &instruction, n, ends);
            start = instruction_next(&instruction).v;
            n = 0;
        }
        if (ends)
            return true;
    }
    return false; /* last is in the middle of an instruction */
}

static const struct branch_run *run_of(struct branch_records *records, struct place start,
                                       struct place last)
{
    struct run_key key = {.module = start.module, .start = start.address.v, .last = last.address.v};
    uint32_t index = map_add(&records->run_keys, &key);
    if (index == records->runs.n) {
        struct branch_run run = {.first = (uint32_t)records->parts.n};
        run.broken = !parts_list(records, &key, &run);
        if (run.broken)
            records->parts.n = run.first;
        run.n = (uint32_t)records->parts.n - run.first;
        *vec_push(&records->runs) = run;
    }
    return &records->runs.at[index];
}

/* How many instructions ran. */
static uint32_t run_add(struct branch_records *records, struct place start, struct place last)
{
    const struct branch_run *run = run_of(records, start, last);
    if (run->broken) {
        lose(records, LOSS_branch_broken);
        return 0;
    }
    struct range_key whole = {start.module, run->instructions, start.address, last.address};
    sum_add(&table_at(&records->space->profile->runs, &whole)->count, records->times);
    for (uint32_t i = run->first; i < run->first + run->n; i++) {
        const struct branch_part *part = &records->parts.at[i];
        batch_add_range_at(&records->batch, part->range, records->times * ONE_TIME,
                           records->times * ONE_COUNT);
        if (part->falls && part->edge != MAP_NONE)
            way_add(records, part->edge, true);
        else
            edge_add(records, part->edge);
    }
    return run->instructions;
}

/* ---- branches */

/* Whether a call stands before it, as where returns lead to. */
static bool behind_call(const struct image *image, struct svma at)
{
    struct instruction before;
    for (uint64_t bytes = 2; image && bytes <= CALL_BYTES; bytes++)
        if (disasm_at(image, (struct svma){at.v - bytes}, &before) && before.bytes == bytes &&
            (before.kind == INSTRUCTION_CALL || before.kind == INSTRUCTION_ICALL))
            return true;
    return false;
}

/* From where no instruction leads: a signal handler begins. Where the kernel just returned to says
 * nothing. */
static uint32_t arrival_index(struct branch_records *records, struct place to)
{
    const struct place anywhere = {MODULE_NONE, {0}};
    return perf_space_begins(records->space, to) ? edge_index(records, anywhere, to, EDGE_RETURN)
                                                 : MAP_NONE;
}

static bool is_code(const struct branch_records *records, struct place at)
{
    const struct image *image = perf_space_image(records->space, at.module);
    struct instruction first;
    return !image || disasm_at(image, at.address, &first);
}

/* Out of code that has no file: either a return, or a call. */
static uint32_t foreign_hop(struct branch_records *records, struct place from, struct place to)
{
    const struct image *image = perf_space_image(records->space, to.module);
    if (!is_code(records, to))
        return MAP_NONE;
    if (behind_call(image, to.address))
        return edge_index(records, (struct place){MODULE_NONE, {0}}, to, EDGE_RETURN);
    return edge_index(records, from, to, EDGE_ICALL);
}

/* A place that this instruction cannot lead to was arrived at otherwise: by a signal, say. */
static struct branch_hop hop_make(struct branch_records *records, struct place from,
                                  struct place to)
{
    static const enum edge_kind kinds[] = {
        [INSTRUCTION_COND] = EDGE_TAKEN,  [INSTRUCTION_JUMP] = EDGE_JUMP,
        [INSTRUCTION_CALL] = EDGE_CALL,   [INSTRUCTION_IJUMP] = EDGE_IJUMP,
        [INSTRUCTION_ICALL] = EDGE_ICALL, [INSTRUCTION_RETURN] = EDGE_RETURN,
        [INSTRUCTION_PLAIN] = EDGE_KINDS, [INSTRUCTION_SYSCALL] = EDGE_KINDS,
        [INSTRUCTION_TRAP] = EDGE_KINDS};
    const struct image *image = perf_space_image(records->space, from.module);
    struct branch_hop hop = {MAP_NONE, MAP_NONE, false, false};
    struct instruction last;
    if (!image) {
        hop.edge = foreign_hop(records, from, to);
        hop.astray = hop.edge == MAP_NONE;
        return hop;
    }
    bool branches = disasm_at(image, from.address, &last) && kinds[last.kind] != EDGE_KINDS;
    bool direct = branches && (last.kind == INSTRUCTION_COND || last.kind == INSTRUCTION_JUMP ||
                               last.kind == INSTRUCTION_CALL);
    bool leads =
        direct ? to.module == from.module && to.address.v == last.target.v : is_code(records, to);
    if (!branches || !leads)
        return (struct branch_hop){arrival_index(records, to), MAP_NONE, false, true};
    if (last.kind == INSTRUCTION_RETURN)
        from = (struct place){MODULE_NONE, {0}};
    hop.turns = last.kind == INSTRUCTION_COND;
    hop.edge = edge_index(records, from, to, kinds[last.kind]);
    if (hop.turns)
        hop.fallen = edge_index(records, from, (struct place){to.module, instruction_next(&last)},
                                EDGE_FALL);
    return hop;
}

static struct branch_hop hop_of(struct branch_records *records, struct place from, struct place to)
{
    struct hop_key key = {from.module, to.module, from.address.v, to.address.v};
    uint32_t index = map_add(&records->hop_keys, &key);
    if (index == records->hops.n)
        *vec_push(&records->hops) = hop_make(records, from, to);
    return records->hops.at[index];
}

/* Whether it was added: what is between two places without a file tells nothing. */
static bool hop_add(struct branch_records *records, struct place from, struct place to)
{
    if (!perf_space_image(records->space, from.module) &&
        !perf_space_image(records->space, to.module))
        return false;
    struct branch_hop hop = hop_of(records, from, to);
    if (hop.astray)
        lose(records, LOSS_branch_astray);
    edge_add(records, hop.edge);
    way_add(records, hop.fallen, false);
    return hop.edge != MAP_NONE;
}

/* Likewise; the source is the kernel. */
static bool arrival_add(struct branch_records *records, struct place to)
{
    uint32_t edge = arrival_index(records, to);
    edge_add(records, edge);
    return edge != MAP_NONE;
}

/* ---- samples */

struct record {
    uint64_t from, to, flags;
};

static struct record record_at(const struct perf_seen *seen, uint64_t i)
{
    struct record record;
    memcpy(&record, seen->branches + i * sizeof record, sizeof record);
    return record;
}

static bool in_user(uint64_t at)
{
    return at && !(at >> 63);
}

static bool is_wrong_path(const struct record *record)
{
    return (record->flags >> SPEC_SHIFT & 3) == SPEC_WRONG_PATH;
}

static struct place place_of(struct branch_records *records, const struct perf_seen *seen,
                             uint64_t at)
{
    return perf_space_code(records->space, seen->pid, (struct avma){at}, false, NULL);
}

/* Every branch is an instruction that ran, even if no run leads to it. */
static void window_end(struct branch_records *records, uint64_t instructions, uint64_t branches)
{
    struct totals *totals = &records->space->profile->totals;
    if (instructions < branches)
        instructions = branches;
    if (!instructions)
        return;
    instructions *= records->times;
    batch_add_window(&records->batch, instructions * ONE_TIME, instructions * ONE_COUNT);
    sum_add(&totals->windows, records->times);
    sum_add(&totals->instructions, instructions);
}

/* Bounded, so that sums stay far from their ends. */
static uint64_t times_of(const struct perf_seen *seen)
{
    if (!(seen->has & PERF_SAMPLE_PERIOD) || seen->kind->period != 1 || !seen->period)
        return 1;
    return seen->period < BRANCH_TIMES_MOST ? seen->period : BRANCH_TIMES_MOST;
}

/* What came after the target of this branch, up to the source of the newer one, and the branch. */
static void turns_follow(struct branch_records *records, struct place from, struct place to,
                         struct place last)
{
    struct branch_turns *turns = &records->turns;
    const struct branch_run *run = NULL;
    struct branch_hop hop = {.astray = true};
    if (to.module != MODULE_NONE && to.module == last.module &&
        perf_space_image(records->space, to.module))
        run = run_of(records, to, last);
    if (run && !run->broken)
        branch_turns_passed(turns, run->passed);
    else
        branch_turns_gap(turns);
    if (to.module != MODULE_NONE && perf_space_image(records->space, from.module))
        hop = hop_of(records, from, to);
    if (hop.astray)
        branch_turns_gap(turns);
    else
        branch_turns_branch(turns, from, hop.turns);
}

void branch_records_add(struct branch_records *records, const struct perf_seen *seen)
{
    uint64_t instructions = 0, branches = 0;
    struct place last = {MODULE_NONE, {0}}; /* the source of the newer branch */
    records->times = times_of(seen);
    branch_raw_begin(&records->raw, records->times);
    branch_turns_begin(&records->turns);
    for (uint64_t i = 0; i < seen->n_branches; i++) {
        struct record record = record_at(seen, i);
        struct place from = {MODULE_NONE, {0}}, to = from;
        if (in_user(record.from))
            from = place_of(records, seen, record.from);
        if (in_user(record.to))
            to = place_of(records, seen, record.to);
        branch_raw_add(&records->raw, from, to);
        if (is_wrong_path(&record)) {
            lose(records, LOSS_branch_wrong_path);
            continue;
        }
        if (to.module != MODULE_NONE)
            branches +=
                from.module == MODULE_NONE ? arrival_add(records, to) : hop_add(records, from, to);
        if (to.module != MODULE_NONE && to.module == last.module &&
            perf_space_image(records->space, to.module))
            instructions += run_add(records, to, last);
        turns_follow(records, from, to, last);
        last = from;
    }
    branch_turns_end(&records->turns, records->times);
    window_end(records, instructions, branches);
    if (++records->samples >= records->per_batch)
        branch_records_end(records);
}

void branch_records_end(struct branch_records *records)
{
    batch_close(&records->batch, records->space->profile);
    records->samples = 0;
}

void branch_records_finish(struct branch_records *records)
{
    branch_records_end(records);
    branch_turns_tell(&records->turns, records->space->profile);
}

#include "consumers/trips.h"

enum trip_exit_end { TRIP_ON, TRIP_CALL, TRIP_RETURN };

void trips_init(struct trips *trips, struct units *units, struct batch *batch)
{
    *trips = (struct trips){.units = units, .batch = batch};
    circuits_init(&trips->circuits, units);
}

void trips_release(struct trips *trips)
{
    circuits_release(&trips->circuits);
    vec_release(&trips->exits);
    vec_release(&trips->steps);
    vec_release(&trips->few);
}

void trip_walk_release(struct trip_walk *walk)
{
    vec_release(&walk->runs);
    vec_release(&walk->frames);
}

/* ---- what exits go through */

/* A step that starts where its circuit does: if that is open, this is its next iteration. */
static const uint32_t STEP_AT_HEAD = UINT32_C(1) << 31;

static bool starts_circuit(const struct trips *trips, uint32_t id, struct place at)
{
    const struct circuit *circuit = &trips->circuits.at[id];
    return circuit->parent != CIRCUIT_NONE && circuit->start == at.address.v;
}

static void step_add(struct trips *trips, struct trip_exit *exit, uint32_t *last, struct place at,
                     bool is_start)
{
    uint32_t id = circuits_at(&trips->circuits, at);
    bool at_head = id != CIRCUIT_NONE && is_start && starts_circuit(trips, id, at);
    if (id == CIRCUIT_NONE || (id == *last && !at_head))
        return;
    *last = id;
    if (exit->first == CIRCUIT_NONE) {
        exit->first = id;
        exit->at_head = at_head;
        return;
    }
    *vec_push(&trips->steps) = id | (at_head ? STEP_AT_HEAD : 0);
    exit->n_more++;
}

static uint8_t end_of(const struct unit_segment *segment)
{
    return segment->end == SEGMENT_CALL || segment->end == SEGMENT_ICALL ? TRIP_CALL
           : segment->end == SEGMENT_RETURN                              ? TRIP_RETURN
                                                                         : TRIP_ON;
}

/* A branch ends a segment, so what has the start of one has its last instruction too: its two ends
 * tell all that it goes through. */
static struct trip_exit exit_make(struct trips *trips, uint32_t id)
{
    const struct units *units = trips->units;
    if (units_owner(units, id) == UNIT_NONE)
        return (struct trip_exit){.version = trips->circuits.version, .first = CIRCUIT_NONE};
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, id)];
    const struct unit_segment *segments = &units->segments.at[superblock->first_segment];
    uint32_t last = superblock_last_segment(superblock, id - superblock->first_exit);
    struct trip_exit exit = {.version = trips->circuits.version,
                             .first = CIRCUIT_NONE,
                             .more = (uint32_t)trips->steps.n,
                             .end = end_of(&segments[last])};
    uint32_t before = CIRCUIT_NONE;
    for (uint32_t i = 0; i <= last; i++)
        if (segments[i].instructions) {
            step_add(trips, &exit, &before, segments[i].at, true);
            step_add(trips, &exit, &before, segment_last(&segments[i]), false);
        }
    return exit;
}

static void circuits_catch_up(struct trips *trips)
{
    circuits_follow(&trips->circuits);
    if (trips->steps_version == trips->circuits.version)
        return;
    trips->steps_version = trips->circuits.version;
    trips->steps.n = 0;
    while (trips->few.n < trips->circuits.n)
        *vec_push(&trips->few) = (struct trip_few){{0}};
}

static const struct trip_exit *exit_of(struct trips *trips, uint32_t id)
{
    struct trip_exit *exit = &trips->exits.at[id];
    if (exit->version != trips->circuits.version)
        *exit = exit_make(trips, id);
    return exit;
}

/* ---- runs */

static uint32_t run_index(struct trips *trips, const struct trip_run *run, enum trip_how how)
{
    const struct circuit *circuit = &trips->circuits.at[run->circuit];
    struct trip_key key = {
        .module = circuit->module, .how = how, .head = {circuit->start}, .n = trip_bin(run->n)};
    if (how != TRIP_WHOLE || run->n > TRIPS_FEW)
        return batch_trip_index(trips->batch, &key);
    uint32_t *few = &trips->few.at[run->circuit].index[run->n - 1];
    if (!*few)
        *few = batch_trip_index(trips->batch, &key) + 1;
    return *few - 1;
}

static void run_close(struct trips *trips, struct trip_walk *walk, bool ended)
{
    struct trip_run run = walk->runs.at[--walk->runs.n];
    if (trips->circuits.at[run.circuit].parent == CIRCUIT_NONE)
        return;
    enum trip_how how =
        run.late ? (ended ? TRIP_LATE : TRIP_INSIDE) : (ended ? TRIP_WHOLE : TRIP_OPEN);
    batch_add_trip_at(trips->batch, run_index(trips, &run, how), walk->weight * run.n,
                      walk->weight);
}

static uint32_t top_of(const struct trip_walk *walk)
{
    return walk->runs.n > walk->frame.first ? walk->runs.at[walk->runs.n - 1].circuit
                                            : CIRCUIT_NONE;
}

/* Opens what is between the innermost open run and the circuit, from the outside in. */
static void runs_open(struct trips *trips, struct trip_walk *walk, uint32_t to)
{
    size_t n = 0, first = walk->runs.n;
    for (uint32_t up = to; up != walk->top && up != CIRCUIT_NONE;
         up = trips->circuits.at[up].parent)
        n++;
    vec_reserve(&walk->runs, first + n);
    walk->runs.n = first + n;
    for (uint32_t up = to; n-- > 0; up = trips->circuits.at[up].parent)
        walk->runs.at[first + n] =
            (struct trip_run){.circuit = up, .late = !walk->frame.known, .n = 1};
    walk->frame.known = true;
    walk->top = to;
}

/* Control is there now. What it is not in any more has ended; true if what it is in was open
 * before. Code of another function in the same frame is one of its parts elsewhere, or was called
 * in place of returning: that will show. */
static bool runs_follow(struct trips *trips, struct trip_walk *walk, uint32_t to)
{
    const struct circuit *there = &trips->circuits.at[to];
    if (walk->top != CIRCUIT_NONE && trips->circuits.at[walk->top].root != there->root)
        return false;
    while (walk->top != CIRCUIT_NONE && !circuit_holds(&trips->circuits.at[walk->top], there)) {
        run_close(trips, walk, true);
        walk->top = top_of(walk);
    }
    if (walk->top == to)
        return true;
    runs_open(trips, walk, to);
    return false;
}

static void frame_enter(struct trip_walk *walk)
{
    *vec_push(&walk->frames) = walk->frame;
    walk->frame = (struct trip_frame){.first = (uint32_t)walk->runs.n, .known = true};
    walk->top = CIRCUIT_NONE;
}

static void frame_leave(struct trips *trips, struct trip_walk *walk)
{
    while (walk->runs.n > walk->frame.first)
        run_close(trips, walk, true);
    walk->frame = walk->frames.n ? walk->frames.at[--walk->frames.n] : (struct trip_frame){0};
    walk->top = top_of(walk);
}

/* ---- streams */

void trips_begin(struct trip_walk *walk, uint64_t weight)
{
    walk->runs.n = walk->frames.n = 0;
    walk->frame = (struct trip_frame){0};
    walk->top = CIRCUIT_NONE;
    walk->weight = weight;
}

/* Coming to the head of a run that is open begins its next iteration. */
static void step_follow(struct trips *trips, struct trip_walk *walk, uint32_t id, bool at_head)
{
    bool open = id == walk->top || runs_follow(trips, walk, id);
    if (open && at_head)
        walk->runs.at[walk->runs.n - 1].n++;
}

static void exit_follow(struct trips *trips, struct trip_walk *walk, const struct trip_exit *exit)
{
    step_follow(trips, walk, exit->first, exit->at_head);
    for (uint32_t i = 0; i < exit->n_more; i++) {
        uint32_t step = trips->steps.at[exit->more + i];
        step_follow(trips, walk, step & ~STEP_AT_HEAD, step & STEP_AT_HEAD);
    }
}

void trips_exits(struct trips *trips, struct trip_walk *walk, const uint32_t *exits, size_t n)
{
    circuits_catch_up(trips);
    while (trips->exits.n < trips->units->owner.n)
        *vec_push(&trips->exits) = (struct trip_exit){0};
    for (size_t i = 0; i < n; i++) {
        const struct trip_exit *exit = exit_of(trips, exits[i]);
        if (exit->first != CIRCUIT_NONE)
            exit_follow(trips, walk, exit);
        if (exit->end == TRIP_CALL)
            frame_enter(walk);
        else if (exit->end == TRIP_RETURN)
            frame_leave(trips, walk);
    }
}

void trips_end(struct trips *trips, struct trip_walk *walk, const struct place *end)
{
    uint32_t to = end ? circuits_at(&trips->circuits, *end) : CIRCUIT_NONE;
    if (to != CIRCUIT_NONE && runs_follow(trips, walk, to) &&
        trips->circuits.at[to].start == end->address.v)
        walk->runs.at[walk->runs.n - 1].n++;
    while (walk->runs.n)
        run_close(trips, walk, false);
    trips_begin(walk, walk->weight);
}

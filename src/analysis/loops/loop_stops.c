#include "analysis/loops/loop_stops.h"

#include <math.h>

enum { SMALL_GAP = 8, SHORT_TRIPS = 8, LANES_MOST = 64 };
static const double RARE = 0.02, STEADY = 0.9;

const char loop_free_fix[] =
    "nothing seen here stops it: build with -O3 and -march=native, promise what the compiler "
    "cannot "
    "know (restrict, #pragma omp simd), and read what -fopt-info-vec-missed says";

const char *loop_stop_name(enum loop_stop stop)
{
    static const char *const names[LOOP_STOPS] = {[STOP_VECTORISED] = "vectorised",
                                                  [STOP_CALL] = "call",
                                                  [STOP_DISPATCH] = "dispatch",
                                                  [STOP_CARRIED] = "carried",
                                                  [STOP_CHASE] = "chase",
                                                  [STOP_SUM] = "sum",
                                                  [STOP_IRREGULAR] = "irregular",
                                                  [STOP_STRIDE] = "stride",
                                                  [STOP_BRANCH] = "branch",
                                                  [STOP_END] = "end",
                                                  [STOP_SHORT] = "short"};
    return names[stop];
}

const char *loop_stop_fix(enum loop_stop stop)
{
    static const char *const fixes[LOOP_STOPS] = {
        [STOP_CALL] =
            "inline what it calls (static inline, always_inline, link-time optimisation), "
            "or declare it with #pragma omp declare simd",
        [STOP_DISPATCH] = "group the elements by what is called for them, so that each loop calls "
                          "one function, which can then be inlined",
        [STOP_CARRIED] = "keep the carried value in a variable, or work on several independent "
                         "sequences at once; where iterations are always that far apart, #pragma "
                         "omp simd safelen(distance) lets compilers use so many lanes",
        [STOP_CHASE] = "keep the elements in an array, in the order of the walk; or prefetch the "
                       "next but one, whose address each element keeps",
        [STOP_SUM] = "use several sums and add them at the end, or allow the compiler to: "
                     "-fassociative-math, #pragma omp simd reduction",
        [STOP_IRREGULAR] = "sort or pack what is accessed, so that neighbours are used together; "
                           "else prefetch the address of a later iteration",
        [STOP_STRIDE] = "swap the loops, or keep the fields that the loop uses in arrays of their "
                        "own: a cache line then has more of what it needs",
        [STOP_BRANCH] = "make it a selection (?:, a minimum, a mask), or sort the data by the "
                        "condition",
        [STOP_END] = "work on whole blocks whose end a counter knows, and look for the end inside "
                     "of the block that has it",
        [STOP_SHORT] = "unroll it completely if the number is known, or vectorise the loop around "
                       "it"};
    return fixes[stop];
}

static void reason_add(struct loop_reasons *reasons, struct loop_reason reason)
{
    if (reasons->n < LOOP_REASONS)
        reasons->at[reasons->n++] = reason;
}

/* ---- registers of the body */

/* How many instructions of the loop write the register, and how many of these only count. */
struct register_writes {
    uint32_t all, steps;
};

static struct register_writes writes_of(const struct loop_row *row, uint32_t reg)
{
    struct register_writes writes = {0, 0};
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_insn *what = &row->accesses.at[i].what;
        writes.all += what->writes >> reg & 1;
        writes.steps += what->steps && what->to == reg;
    }
    return writes;
}

/* It does not change in the loop, or by the same each time. */
static bool is_counter(const struct loop_row *row, uint32_t reg)
{
    struct register_writes writes = writes_of(row, reg);
    return writes.all == writes.steps;
}

/* A load whose result is, directly or by one copy, the base of its next address. */
static bool is_chase(const struct loop_row *row, const struct loop_insn *load)
{
    if (!load->loads || load->to >= 16 || load->base == LOOP_REGISTER_NONE || load->sums)
        return false;
    uint32_t all = writes_of(row, load->base).all;
    if (load->to == load->base)
        return all == 1 && !load->steps;
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_insn *copy = &row->accesses.at[i].what;
        if (copy->moves && copy->to == load->base && copy->from == load->to && all == 1)
            return true;
    }
    return false;
}

/* ---- each reason */

/* Calls through pointers are one reason if they are of several functions: a pointer that always has
 * the same one (a library's table, say) hides nothing from a fix. */
static bool dispatch_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    uint32_t functions = 0, most = 0;
    uint64_t calls = 0;
    for (uint32_t i = (uint32_t)row->calls.n; i-- > 0;)
        if (row->calls.at[i].pointer) {
            functions++;
            calls += row->calls.at[i].n;
            most = i;
        }
    double part = (double)calls / (double)row->iterations;
    if (functions < 2 || part <= RARE)
        return false;
    reason_add(reasons, (struct loop_reason){STOP_DISPATCH, 0, part, functions, most});
    return true;
}

static void calls_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    bool dispatches = dispatch_find(reasons, row);
    for (uint32_t i = 0, shown = 0; i < row->calls.n && shown < 2; i++) {
        double part = (double)row->calls.at[i].n / (double)row->iterations;
        if (dispatches && row->calls.at[i].pointer)
            continue;
        shown++;
        if (part > RARE)
            reason_add(reasons, (struct loop_reason){STOP_CALL, 0, part, 0, i});
    }
}

static void carried_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    for (uint32_t i = 0; i < row->carried.n && i < 2; i++) {
        const struct loop_carried *carried = &row->carried.at[i];
        double part = (double)carried->n / (double)row->iterations;
        if (part > RARE && carried->least <= LANES_MOST)
            reason_add(reasons, (struct loop_reason){STOP_CARRIED, carried->at, fmin(part, 1),
                                                     carried->least, i});
    }
}

static void sums_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_access *access = &row->accesses.at[i];
        const struct loop_insn *what = &access->what;
        if (what->sums && what->to >= 16 && writes_of(row, what->to).all == 1) {
            reason_add(reasons,
                       (struct loop_reason){STOP_SUM, access->at,
                                            (double)access->n / (double)row->iterations, 0, 0});
            return;
        }
    }
}

/* Of one access: no stride is frequent, or the frequent one leaves gaps. */
static bool access_reason(const struct loop_row *row, const struct loop_access *access,
                          struct loop_reason *ret)
{
    const struct loop_stride *most = &access->strides[0];
    int64_t bytes =
        access->what.loads > access->what.stores ? access->what.loads : access->what.stores;
    int64_t gap = most->bytes < 0 ? -most->bytes : most->bytes;
    if (!access->steps || access->steps * 4 < access->n)
        return false;
    double part = (double)most->n / (double)access->steps;
    *ret = (struct loop_reason){STOP_STRIDE, access->at, part, most->bytes, 0};
    if (is_chase(row, &access->what)) {
        ret->stop = STOP_CHASE;
        ret->part = (double)access->n / (double)row->iterations;
        return true;
    }
    if (part < STEADY) {
        ret->stop = STOP_IRREGULAR;
        return true;
    }
    return gap > SMALL_GAP && gap > 2 * bytes; /* half of each line, or more, is not used */
}

/* The worst access: one that is chased, before one that is irregular, before one with gaps. */
static void accesses_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    struct loop_reason worst[LOOP_STOPS] = {0};
    bool chased = false;
    for (size_t i = 0; i < row->accesses.n; i++) {
        struct loop_reason reason;
        if (!access_reason(row, &row->accesses.at[i], &reason))
            continue;
        struct loop_reason *known = &worst[reason.stop];
        int64_t gap = reason.figure < 0 ? -reason.figure : reason.figure;
        int64_t before = known->figure < 0 ? -known->figure : known->figure;
        bool worse = reason.stop == STOP_STRIDE ? gap > before : reason.part < known->part;
        if (!known->at || worse)
            *known = reason;
        chased |= reason.stop == STOP_CHASE;
    }
    static const enum loop_stop order[] = {STOP_CHASE, STOP_IRREGULAR, STOP_STRIDE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (worst[order[i]].at && (order[i] == STOP_CHASE || !chased))
            reason_add(reasons, worst[order[i]]);
}

/* The branch inside of the body that goes both ways most evenly. */
static void branches_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    struct loop_reason most = {STOP_BRANCH, 0, 0, 0, 0};
    double even = RARE;
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_access *access = &row->accesses.at[i];
        double taken = (double)access->taken / (double)access->n;
        double less = fmin(taken, 1 - taken);
        if (access->leaves || access->back || !access->taken || less <= even)
            continue;
        even = less;
        most.at = access->at;
        most.part = taken;
    }
    if (most.at)
        reason_add(reasons, most);
}

/* What the branch after it asks for: registers that count or stay, and no memory. */
static bool compares_counters(const struct loop_row *row, const struct loop_insn *compare)
{
    if (compare->loads)
        return false;
    for (uint32_t reg = 0; reg < 32; reg++)
        if ((compare->reads >> reg & 1) && !is_counter(row, reg))
            return false;
    return true;
}

static void ends_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    const struct loop_insn *compare = NULL;
    for (size_t i = 0; i < row->accesses.n; i++) {
        const struct loop_access *access = &row->accesses.at[i];
        if (access->what.sets_flags)
            compare = &access->what;
        if (!access->leaves || (compare && compares_counters(row, compare)))
            continue;
        reason_add(reasons, (struct loop_reason){STOP_END, access->at, 1, 0, 0});
        return;
    }
}

/* Vectors that the loop calculates with; whether most of what it computes is on them. */
static uint8_t packed_bytes(const struct loop_row *row)
{
    uint8_t bytes = 0;
    for (size_t i = 0; i < row->accesses.n; i++)
        bytes = row->accesses.at[i].what.packed > bytes ? row->accesses.at[i].what.packed : bytes;
    return bytes;
}

void loop_reasons_find(struct loop_reasons *reasons, const struct loop_row *row)
{
    uint8_t bytes = packed_bytes(row);
    *reasons = (struct loop_reasons){0};
    if (!row->inner || !row->iterations)
        return;
    if (bytes) {
        reason_add(reasons, (struct loop_reason){STOP_VECTORISED, 0, 1, bytes, 0});
        return;
    }
    calls_find(reasons, row);
    carried_find(reasons, row);
    sums_find(reasons, row);
    accesses_find(reasons, row);
    branches_find(reasons, row);
    ends_find(reasons, row);
    if (row->trips.value < SHORT_TRIPS && !row->more)
        reason_add(reasons, (struct loop_reason){STOP_SHORT, 0, 1, llround(row->trips.value), 0});
}

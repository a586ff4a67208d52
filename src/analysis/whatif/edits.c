#include "analysis/whatif/edits.h"

#include <string.h>

enum { UNROLLED = 4, NEARBY = 24, ARGUMENTS = 6 };

/* ---- one instruction */

static uint64_t place_make(struct whatif_course *course, const struct candidate *candidate,
                           uint8_t act)
{
    uint64_t units = 0;
    for (size_t i = 0; i < course->n; i++) {
        if (course->at[i].fact.at.v != candidate->at)
            continue;
        course->acts.at[i] = act;
        units += !course->at[i].warming;
    }
    return units;
}

/* ---- a call */

static uint16_t what_of(const struct whatif_course *course, struct traits_cache *traits,
                        size_t step)
{
    return traits_of(traits, course_insn(course, step))->what;
}

/* Index of the return of the call at `step`; n: it is not in the window. */
static size_t return_find(const struct whatif_course *course, size_t step)
{
    uint32_t depth = 0;
    for (size_t i = step; i < course->n; i++) {
        uint8_t kind = course_insn(course, i)->core.kind;
        depth += kind == INSN_CALL || kind == INSN_CALL_INDIRECT;
        if (kind == INSN_RETURN && --depth == 0)
            return i;
    }
    return course->n;
}

static bool is_branch(const struct whatif_course *course, size_t step)
{
    return course_insn(course, step)->core.kind != INSN_PLAIN;
}

/* What leads into the function: a stub that jumps there, saved registers, a frame. */
static void entry_skip(struct whatif_course *course, struct traits_cache *traits, size_t step,
                       size_t end)
{
    size_t i = step + 1;
    for (size_t stub = i; stub < end && stub < i + 2; stub++)
        if (course_insn(course, stub)->core.kind == INSN_INDIRECT) {
            for (; i <= stub; i++)
                course->acts.at[i] = ACT_SKIP;
            break;
        }
    for (size_t last = i + NEARBY; i < end && i < last && !is_branch(course, i); i++)
        if (what_of(course, traits, i) & (TRAIT_SAVES | TRAIT_LANDS))
            course->acts.at[i] = ACT_SKIP;
}

static void call_skip(struct whatif_course *course, struct traits_cache *traits, size_t step)
{
    size_t end = return_find(course, step);
    course->acts.at[step] = ACT_SKIP;
    for (size_t i = step; i-- > 0 && step - i <= ARGUMENTS && !is_branch(course, i);)
        if (what_of(course, traits, i) & TRAIT_ARGUMENT)
            course->acts.at[i] = ACT_SKIP;
    entry_skip(course, traits, step, end);
    if (end == course->n)
        return;
    course->acts.at[end] = ACT_SKIP;
    for (size_t i = end; i-- > step && end - i <= NEARBY && !is_branch(course, i);)
        if (what_of(course, traits, i) & TRAIT_RESTORES)
            course->acts.at[i] = ACT_SKIP;
    if (end + 1 < course->n && what_of(course, traits, end + 1) & TRAIT_RESULT)
        course->acts.at[end + 1] = ACT_SKIP;
}

static uint64_t inline_make(struct whatif_course *course, struct traits_cache *traits,
                            const struct candidate *candidate)
{
    uint64_t units = 0;
    for (size_t i = 0; i < course->n; i++) {
        if (course->at[i].fact.at.v != candidate->at)
            continue;
        call_skip(course, traits, i);
        units += !course->at[i].warming;
    }
    return units;
}

/* ---- a loop, by the branch at its end that leads back */

static bool counts_loop(const struct candidate *candidate, uint64_t at)
{
    for (uint32_t i = 0; i < candidate->n_steps; i++)
        if (candidate->steps[i] == at)
            return true;
    return false;
}

/* One iteration, that ends at `last`, keeps its work and loses what counts it. */
static void count_skip(struct whatif_course *course, const struct candidate *candidate,
                       size_t first, size_t last)
{
    course->acts.at[last] = ACT_SKIP;
    for (size_t i = first; i < last; i++)
        if (counts_loop(candidate, course->at[i].fact.at.v))
            course->acts.at[i] = ACT_SKIP;
}

static void iteration_skip(struct whatif_course *course, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        course->acts.at[i] = ACT_SKIP;
}

static void iteration_widen(struct whatif_course *course, struct traits_cache *traits, size_t first,
                            size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (course_insn(course, i)->core.flags & INSN_FP && what_of(course, traits, i))
            course->acts.at[i] = ACT_WIDER;
}

/* Whether all from the last end of the loop on is of its body. */
static bool is_body(const struct whatif_course *course, const struct candidate *candidate,
                    size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        if (course->at[i].fact.at.v - candidate->begin >= candidate->end - candidate->begin)
            return false;
    return last > first;
}

static uint64_t loop_make(struct whatif_course *course, struct traits_cache *traits,
                          const struct candidate *candidate)
{
    bool wider = candidate->kind == WHATIF_WIDER;
    uint32_t every = wider ? 2 : UNROLLED, turn = 0;
    uint64_t units = 0;
    size_t first = 0;
    for (size_t i = 0; i < course->n; i++) {
        if (course->at[i].fact.at.v != candidate->at)
            continue;
        units += !course->at[i].warming;
        bool whole = first && is_body(course, candidate, first, i);
        turn = whole && course->at[i].fact.taken ? turn + 1 : 0;
        if (turn && turn % every && !wider)
            count_skip(course, candidate, first, i);
        else if (turn && turn % every)
            iteration_skip(course, first, i);
        else if (turn && wider)
            iteration_widen(course, traits, first, i);
        first = i + 1;
    }
    return units;
}

/* ---- the same loop, if it always makes as many turns: all of them one after the other */

enum { TRIPS_MOST = 64, TRIPS_CODE_MOST = 512, ENTRIES_LEAST = 4, SAME_PART = 16 };

/* An entry of the loop, so far: where its turns end. */
struct entry {
    bool whole; /* it began in the window, and was not left by another way */
    uint32_t trips;
    size_t before, ends[TRIPS_MOST]; /* steps; before: the end of the entry before it */
};

/* Adds a turn that ends at the step. */
static void entry_add(const struct whatif_course *course, const struct candidate *candidate,
                      struct entry *entry, size_t i)
{
    uint32_t last = entry->trips - 1;
    if (entry->trips && last < TRIPS_MOST && !is_body(course, candidate, entry->ends[last] + 1, i))
        entry->whole = false;
    if (entry->trips < TRIPS_MOST)
        entry->ends[entry->trips] = i;
    entry->trips++;
}

static void entry_next(struct entry *entry, size_t i)
{
    entry->whole = true;
    entry->trips = 0;
    entry->before = i;
}

/* The number of turns that nearly all entries of the window make; 0: they differ, or in a row they
 * were too much code. */
static uint32_t trips_known(const struct whatif_course *course, const struct candidate *candidate)
{
    uint32_t entries[TRIPS_MOST + 1] = {0}, all = 0, most = 0;
    struct entry entry = {0};
    size_t length = 0;
    for (size_t i = 0; i < course->n; i++) {
        if (course->at[i].fact.at.v != candidate->at)
            continue;
        entry_add(course, candidate, &entry, i);
        if (course->at[i].fact.taken)
            continue;
        if (entry.whole && entry.trips > 1 && entry.trips <= TRIPS_MOST)
            length = entry.ends[1] - entry.ends[0];
        if (entry.whole && entry.trips <= TRIPS_MOST)
            entries[entry.trips]++;
        all++;
        entry_next(&entry, i);
    }
    for (uint32_t trips = 2; trips <= TRIPS_MOST; trips++)
        most = entries[trips] > entries[most] ? trips : most;
    /* The first entry may have begun before the window. */
    bool same = all > ENTRIES_LEAST && (all - 1 - entries[most]) * SAME_PART <= all;
    return same && most * length <= TRIPS_CODE_MOST ? most : 0;
}

static uint64_t trips_make(struct whatif_course *course, const struct candidate *candidate)
{
    uint32_t known = trips_known(course, candidate);
    struct entry entry = {0};
    uint64_t units = 0;
    for (size_t i = 0; known && i < course->n; i++) {
        if (course->at[i].fact.at.v != candidate->at)
            continue;
        units += !course->at[i].warming;
        entry_add(course, candidate, &entry, i);
        if (course->at[i].fact.taken)
            continue;
        for (uint32_t k = 0; k < entry.trips && entry.whole && entry.trips == known; k++)
            count_skip(course, candidate, k ? entry.ends[k - 1] + 1 : entry.before + 1,
                       entry.ends[k]);
        entry_next(&entry, i);
    }
    return units;
}

/* ---- the order of code */

struct way {
    uint32_t taken, all;
};

/* Branches that lead back stay: a loop's end has to. Jumps that lead forward go. */
static uint64_t layout_make(struct whatif_course *course, const struct candidate *candidate)
{
    uint64_t units = 0;
    struct map ids;
    struct {
        VEC(struct way);
    } ways = {0};
    map_init(&ids, sizeof(uint32_t));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < course->n; i++) {
            const struct course_step *step = &course->at[i];
            const struct code_insn *insn = course_insn(course, i);
            if (step->fact.at.v - candidate->begin >= candidate->end - candidate->begin)
                continue;
            units += pass && !step->warming;
            bool forward = insn->target > insn->at;
            if (forward && insn->core.kind == INSN_JUMP && pass)
                course->acts.at[i] = ACT_SKIP;
            if (!forward || insn->core.kind != INSN_COND)
                continue;
            uint32_t at = map_add(&ids, &step->id);
            if (at == ways.n)
                *vec_push(&ways) = (struct way){0};
            struct way *way = &ways.at[at];
            if (!pass) {
                way->taken += step->fact.taken;
                way->all++;
            } else if (way->taken * 2 > way->all) {
                course->acts.at[i] = CHANGE_TURNED;
            }
        }
    map_release(&ids);
    vec_release(&ways);
    return units;
}

uint64_t edit_make(struct whatif_course *course, struct traits_cache *traits,
                   const struct candidate *candidate)
{
    switch (candidate->kind) {
    case WHATIF_BRANCH: return place_make(course, candidate, CHANGE_PREDICTED);
    case WHATIF_LOAD: return place_make(course, candidate, CHANGE_NEAR);
    case WHATIF_FORWARD: return place_make(course, candidate, CHANGE_FORWARDED);
    case WHATIF_DIVISION: return place_make(course, candidate, ACT_OTHER);
    case WHATIF_INLINE: return inline_make(course, traits, candidate);
    case WHATIF_UNROLL:
    case WHATIF_WIDER: return loop_make(course, traits, candidate);
    case WHATIF_TRIPS: return trips_make(course, candidate);
    case WHATIF_LAYOUT: return layout_make(course, candidate);
    case WHATIF_KINDS: break;
    }
    return 0;
}

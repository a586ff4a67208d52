#include "gcov/fit.h"

#include "gcov/discriminators.h"
#include "gcov/fitting.h"

#include <string.h>

enum { ROUNDS = 8 };

bool fitting_group_has(const struct fitting *fitting, uint32_t group, uint32_t block)
{
    if (group == GROUP_NONE)
        return false;
    const struct line_group *line = &fitting->groups->at[group];
    const uint32_t *blocks = &fitting->groups->blocks.at[line->first];
    uint32_t low = 0, high = line->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < line->n && blocks[low] == block;
}

bool fitting_ends_in(const struct fitting *fitting, uint32_t block, uint32_t group)
{
    const struct line_group *line = &fitting->groups->at[group];
    return line->what == GROUP_BRANCH || fitting->last_line[block] == line->whole;
}

bool fitting_branches(const struct fitting *fitting, uint32_t block)
{
    const struct notes_arc *arcs = fitting->function->arcs.at;
    uint32_t first = fitting->first_arc[block];
    return fitting->first_arc[block + 1] - first == 2 &&
           !((arcs[first].flags | arcs[first + 1].flags) & ARC_FAKE);
}

bool fitting_switches(const struct fitting *fitting, uint32_t block)
{
    uint32_t real = 0;
    for (uint32_t i = fitting->first_arc[block]; i < fitting->first_arc[block + 1]; i++)
        real += !(fitting->function->arcs.at[i].flags & ARC_FAKE);
    return block != NOTES_ENTRY && real > 2;
}

void fitting_vote(struct votes *votes, uint32_t at, uint32_t more, uint32_t less, uint64_t count)
{
    *vec_push(votes) = (struct vote){.at = at, .more = more, .less = less, .count = count};
}

uint32_t fitting_believed(const struct fitting *fitting, const struct line_seen *line)
{
    const uint32_t *blocks = line->blocks;
    uint32_t result = UINT32_MAX, most_seen = 0, n_zero = 0, homes = 0;
    if (fitting->sightings->at[line->first].by_column)
        return 0;
    for (uint32_t k = 0; k < line->n_blocks; k++)
        n_zero += !fitting->discriminators[blocks[k]];
    for (size_t i = line->first; i < line->end; i++) {
        uint32_t number = fitting->sightings->at[i].discriminator;
        bool there = !number;
        for (uint32_t k = 0; k < line->n_blocks && !there; k++)
            there = fitting->discriminators[blocks[k]] == number;
        if (!there && number < result)
            result = number;
        if (number > most_seen)
            most_seen = number;
        bool again = false;
        for (size_t k = line->first; k < i && !again; k++)
            again = fitting->sightings->at[k].home == fitting->sightings->at[i].home;
        homes += !again;
    }
    return !most_seen && n_zero < line->n_blocks && homes > n_zero ? 0 : result;
}

/* ---- one round */

/* The sightings from one on that are of one line, and of one copy. */
static struct line_seen line_from(const struct fitting *fitting, size_t first)
{
    const struct sightings *sightings = fitting->sightings;
    struct line_seen line = {.group = sightings->at[first].group, .first = first};
    for (line.end = first; line.end < sightings->n && sightings->at[line.end].group == line.group &&
                           sightings->at[line.end].instance == sightings->at[first].instance;)
        line.end++;
    fit_line_narrow(fitting, &line);
    return line;
}

static void votes_make(struct fitting *fitting)
{
    const struct sightings *sightings = fitting->sightings;
    struct line_seen line;
    fitting->votes.n = fitting->arc_votes.n = 0;
    for (size_t i = 0; i < sightings->n; i = line.end) {
        line = line_from(fitting, i);
        fit_ways(fitting, &line);
        fit_arrivals(fitting, &line);
    }
    if (!fitting->first_round) {
        fit_unrolled(fitting);
        fit_unseen(fitting);
    }
    for (size_t i = 0; i < sightings->n; i = line.end) {
        line = line_from(fitting, i);
        fit_blocks(fitting, &line);
    }
}

static void blocks_sum(struct fitting *fitting)
{
    memset(fitting->blocks, 0, fitting->function->n_blocks * sizeof *fitting->blocks);
    for (size_t i = 0; i < fitting->function->arcs.n; i++)
        fitting->blocks[fitting->function->arcs.at[i].to] += fitting->arcs[i];
}

/* ---- what is known before */

static void arcs_index(struct fitting *fitting)
{
    const struct notes_function *function = fitting->function;
    size_t n = function->n_blocks + 1;
    uint32_t *before = mem_alloc(n * sizeof *before);
    for (size_t i = 0; i < function->arcs.n; i++)
        fitting->first_arc[function->arcs.at[i].from + 1] = (uint32_t)i + 1;
    for (size_t b = 1; b < n; b++)
        if (!fitting->first_arc[b])
            fitting->first_arc[b] = fitting->first_arc[b - 1];
    for (size_t i = 0; i < function->arcs.n; i++)
        if (!before[function->arcs.at[i].to]++)
            fitting->decides[function->arcs.at[i].to] = function->arcs.at[i].from;
    for (uint32_t b = 0; b < function->n_blocks; b++)
        if (before[b] != 1 || !fitting_branches(fitting, fitting->decides[b]))
            fitting->decides[b] = 0;
    mem_free(before);
}

/* That code of the group was seen. */
static void sighting_mark(struct fitting *fitting, const struct sighting *sighting, uint32_t group)
{
    struct home_key key = {sighting->home, group};
    map_add(&fitting->homes, &key);
    fitting->seen[group] = true;
    if (sighting->times > fitting->times[group])
        fitting->times[group] = sighting->times;
}

static void lines_index(struct fitting *fitting)
{
    const struct notes_lines *lines = &fitting->function->lines;
    const struct line_groups *groups = fitting->groups;
    size_t n = fitting->function->n_blocks + 1;
    for (size_t b = 0; b < n; b++)
        fitting->first_line[b] = fitting->last_line[b] = GROUP_NONE;
    /* Counted, summed up to where each block's begin, and moved on to their ends as they are
     * filled. */
    for (size_t i = 0; i < groups->blocks.n; i++)
        fitting->first_of_lines[groups->blocks.at[i] + 2]++;
    for (size_t b = 1; b <= n; b++)
        fitting->first_of_lines[b] += fitting->first_of_lines[b - 1];
    for (size_t i = 0; i < lines->n; i++) {
        const struct notes_line *line = &lines->at[i];
        uint32_t group = line_groups_find(fitting->groups, line->file, line->line);
        if (fitting->last_line[line->block] == GROUP_NONE)
            fitting->first_line[line->block] = group;
        fitting->last_line[line->block] = group;
    }
    for (uint32_t g = 0; g < groups->n; g++)
        for (uint32_t i = 0; i < groups->at[g].n; i++) {
            uint32_t block = groups->blocks.at[groups->at[g].first + i];
            fitting->line_group[fitting->first_of_lines[block + 1]++] = g;
        }
    fitting->seen = mem_alloc(fitting->groups->n + 1);
    fitting->times = mem_alloc((fitting->groups->n + 1) * sizeof *fitting->times);
    map_init(&fitting->homes, sizeof(struct home_key));
    for (size_t i = 0; i < fitting->sightings->n; i++) {
        const struct sighting *sighting = &fitting->sightings->at[i];
        sighting_mark(fitting, sighting, sighting->group);
        sighting_mark(fitting, sighting, groups->at[sighting->group].whole);
    }
}

static void fitting_open(struct fitting *fitting)
{
    size_t n = fitting->function->n_blocks + 2;
    fitting->discriminators = discriminators_guess(fitting->function);
    fitting->whole = blocks_uncut(fitting->function);
    fitting->blocks = mem_alloc(n * sizeof *fitting->blocks);
    fitting->branches = mem_alloc(n);
    fitting->turns = mem_alloc(n * sizeof *fitting->turns);
    fitting->first_arc = mem_alloc(n * sizeof *fitting->first_arc);
    fitting->first_line = mem_alloc(n * sizeof *fitting->first_line);
    fitting->last_line = mem_alloc(n * sizeof *fitting->last_line);
    fitting->decides = mem_alloc(n * sizeof *fitting->decides);
    fitting->first_of_lines = mem_alloc(n * sizeof *fitting->first_of_lines);
    fitting->line_group = mem_alloc((fitting->groups->blocks.n + 1) * sizeof *fitting->line_group);
    arcs_index(fitting);
    lines_index(fitting);
    fit_bodies_find(fitting);
}

static void fitting_close(struct fitting *fitting)
{
    vec_release(&fitting->votes);
    vec_release(&fitting->arc_votes);
    mem_free(fitting->discriminators);
    mem_free(fitting->whole);
    mem_free(fitting->blocks);
    mem_free(fitting->branches);
    mem_free(fitting->first_arc);
    mem_free(fitting->first_line);
    mem_free(fitting->last_line);
    mem_free(fitting->decides);
    mem_free(fitting->first_of_lines);
    mem_free(fitting->line_group);
    mem_free(fitting->seen);
    mem_free(fitting->times);
    mem_free(fitting->turns);
    map_release(&fitting->homes);
    map_release(&fitting->body_keys);
    vec_release(&fitting->first_body);
    vec_release(&fitting->bodies);
}

static struct fit_told told_sum(const struct fitting *fitting)
{
    struct fit_told sum = {0};
    for (uint32_t b = 0; b < fitting->function->n_blocks; b++) {
        if (!fitting_branches(fitting, b))
            continue;
        sum.branched += fitting->blocks[b];
        if (fitting->branches[b] || fitting->turns[b])
            sum.told += fitting->blocks[b];
    }
    return sum;
}

bool arcs_fit(const struct notes_function *function, const struct line_groups *groups,
              const struct sightings *sightings, enum fit_voting voting, uint64_t *ret_arcs,
              struct fit_told *ret_told)
{
    struct fitting fitting = {
        .function = function, .groups = groups, .sightings = sightings, .arcs = ret_arcs};
    uint64_t *before = mem_alloc((function->arcs.n + 1) * sizeof *before);
    bool ok = true;
    fitting_open(&fitting);
    for (int round = 0; ok && round < ROUNDS; round++) {
        memcpy(before, ret_arcs, function->arcs.n * sizeof *before);
        fitting.first_round = !round;
        votes_make(&fitting);
        votes_join(&fitting.votes, voting);
        ok = arcs_solve(function, &fitting.votes, &fitting.arc_votes, ret_arcs);
        blocks_sum(&fitting);
        if (round && memcmp(before, ret_arcs, function->arcs.n * sizeof *before) == 0)
            break;
    }
    mem_free(before);
    if (ok)
        *ret_told = told_sum(&fitting);
    fitting_close(&fitting);
    return ok;
}

/* Branches of the graph that the program has no branch of. */
#include "gcov/fitting.h"

enum {
    SPLIT_LESS = 3,    /* more than a block costs that nothing is known of */
    TURNS_UNKNOWN = 4, /* of a loop that became vector code, or a call */
    TURNS_WEIGHT = 24
};

bool fitting_way_vanishes(const struct fitting *fitting, uint32_t block, uint32_t before)
{
    bool own = false;
    if (fitting->decides[block] != before)
        return true; /* others lead there too */
    if (fitting->first_arc[block + 1] - fitting->first_arc[block] != 1)
        return false;
    for (uint32_t i = fitting->first_of_lines[block]; i < fitting->first_of_lines[block + 1]; i++) {
        uint32_t group = fitting->line_group[i];
        if (fitting_group_has(fitting, group, before))
            continue;
        if (fitting->seen[group])
            return true;
        own = true;
    }
    return !own;
}

/* Whether a way has a block with lines, and the other way leads at once to where that one goes on.
 */
static bool way_corrects(const struct fitting *fitting, const struct notes_arc *way,
                         const struct notes_arc *other)
{
    uint32_t block = way->to, arc = fitting->first_arc[block];
    return fitting->decides[block] == way->from && fitting->first_line[block] != GROUP_NONE &&
           fitting->first_arc[block + 1] - arc == 1 &&
           fitting->function->arcs.at[arc].to == other->to;
}

/* A branch that became no branch may go either way, and gcc must not take for sure what nobody
 * knows: half and half; a statement that is left out otherwise is done in one of four cases, as
 * corrections are rarer than what needs none. Where it cannot have become a conditional move, the
 * branch is one that was not recognised: then rather by the way that has no blocks. */
void fit_unseen(struct fitting *fitting)
{
    for (uint32_t b = 0; b < fitting->function->n_blocks; b++) {
        if (fitting->branches[b] || fitting->turns[b] || !fitting_branches(fitting, b))
            continue;
        const struct notes_arc *arcs = &fitting->function->arcs.at[fitting->first_arc[b]];
        bool vanishes = fitting_way_vanishes(fitting, arcs[0].to, b) &&
                        fitting_way_vanishes(fitting, arcs[1].to, b);
        bool rare[2] = {way_corrects(fitting, &arcs[0], &arcs[1]),
                        way_corrects(fitting, &arcs[1], &arcs[0])};
        for (uint32_t way = 0; way < 2; way++) {
            uint64_t quarters = !vanishes || rare[0] == rare[1] ? 2 : rare[way] ? 1 : 3;
            fitting_vote(&fitting->arc_votes, fitting->first_arc[b] + way, 1,
                         vanishes ? SPLIT_LESS : 0, (fitting->blocks[b] * quarters + 2) / 4);
        }
    }
}

/* ---- loops */

static uint32_t times_in(const struct fitting *fitting, uint32_t block)
{
    uint32_t most = 0;
    for (uint32_t i = fitting->first_of_lines[block]; i < fitting->first_of_lines[block + 1]; i++)
        if (fitting->times[fitting->line_group[i]] > most)
            most = fitting->times[fitting->line_group[i]];
    return most;
}

/* A loop of one block, or of one and a test, by the arc that stays in it. Its code counts for what
 * comes in, not for its turns: statements that begin several times in one piece tell those. */
static void loop_vote(struct fitting *fitting, uint32_t block, uint32_t arc)
{
    uint32_t body = fitting->function->arcs.at[arc].to;
    uint32_t back = body == block ? arc : fitting->first_arc[body], times = times_in(fitting, body);
    uint32_t turns = times > 1 ? times : TURNS_UNKNOWN;
    uint64_t in = fitting->blocks[block] - fitting->arcs[back];
    fitting->turns[block] = fitting->turns[body] = turns;
    uint64_t stays = in * (body == block ? turns - 1 : turns);
    fitting_vote(&fitting->votes, block, TURNS_WEIGHT, TURNS_WEIGHT, in + stays);
    fitting_vote(&fitting->arc_votes, arc, TURNS_WEIGHT, TURNS_WEIGHT, stays);
}

void fit_unrolled(struct fitting *fitting)
{
    const struct notes_arcs *arcs = &fitting->function->arcs;
    for (uint32_t b = 0; b < fitting->function->n_blocks; b++)
        fitting->turns[b] = 0;
    for (uint32_t b = 0; b < fitting->function->n_blocks; b++) {
        if (fitting->branches[b] || !fitting_branches(fitting, b))
            continue;
        for (uint32_t way = 0; way < 2; way++) {
            uint32_t arc = fitting->first_arc[b] + way, body = arcs->at[arc].to;
            uint32_t first = fitting->first_arc[body];
            bool alone = fitting->decides[body] == b && fitting->first_arc[body + 1] - first == 1 &&
                         arcs->at[first].to == b && fitting_way_vanishes(fitting, body, b);
            if ((body == b || alone) && fitting->blocks[b] &&
                fitting->last_line[body] != GROUP_NONE && fitting->seen[fitting->last_line[body]])
                loop_vote(fitting, b, arc);
        }
    }
}

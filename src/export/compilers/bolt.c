/* What llvm-bolt reads (-data=FILE): branches by function and offset, with how often they were
 * gone.
 *
 *     1 FUNCTION OFFSET 1 FUNCTION OFFSET MISPREDICTED COUNT
 *
 * BOLT adds nothing up from runs of code: falling from a block into the next is a branch like
 * others, from the last instruction of the one to the first of the other. What comes from elsewhere
 * comes from "0 [unknown] 0". Returns tell BOLT nothing: it does not end blocks at calls. Of a
 * record that does not fit its own graph BOLT believes that the function has changed, so what only
 * a run shows (where longjmp arrives, a block begins for us) is left out. */
#include "program/bolt_names.h"
#include "base/err.h"
#include "export/job/job.h"
#include "profile/sums.h"

#include <inttypes.h>

struct writer {
    FILE *to;
    struct bolt_names names;
    uint64_t nameless;
};

static void branch_write(struct writer *writer, const struct code_call *branch)
{
    const struct bolt_function *from =
        branch->from_us ? bolt_names_find(&writer->names, branch->from) : NULL;
    const struct bolt_function *to =
        branch->to_us ? bolt_names_find(&writer->names, branch->to) : NULL;
    if (!from && !to) {
        sum_add(&writer->nameless, branch->count);
        return;
    }
    if (from)
        fprintf(writer->to, "1 %s %" PRIx64, from->name, branch->from - from->start);
    else
        fputs("0 [unknown] 0", writer->to);
    if (to)
        fprintf(writer->to, " 1 %s %" PRIx64, to->name, branch->to - to->start);
    else
        fputs(" 0 [unknown] 0", writer->to);
    fprintf(writer->to, " 0 %" PRIu64 "\n", branch->count);
}

/* Where blocks begin whether a run shows it or not: targets of direct branches and of jump tables.
 */
static void targets_find(struct map *targets, const struct code_edges *edges)
{
    map_init(targets, sizeof(uint64_t));
    for (size_t i = 0; i < edges->n; i++)
        if (edges->at[i].kind != CFG_NEXT)
            map_add(targets, &edges->at[i].to);
}

static void edges_write(struct writer *writer, const struct code_edges *edges)
{
    struct map targets;
    targets_find(&targets, edges);
    for (size_t i = 0; i < edges->n; i++) {
        const struct code_edge *edge = &edges->at[i];
        bool known = edge->kind != CFG_NEXT || map_find(&targets, &edge->to) != MAP_NONE;
        if (edge->count && known)
            branch_write(writer, &(struct code_call){.from = edge->from,
                                                     .to = edge->to,
                                                     .from_us = true,
                                                     .to_us = true,
                                                     .count = edge->count});
    }
    map_release(&targets);
}

bool bolt_write(FILE *to, struct export_job *job, struct err *err)
{
    struct writer writer = {.to = to};
    if (job->code.binary->image.known)
        return err_set(err, ERR_MISSING,
                       "BOLT's names of functions are not kept in profiles: %s must be there; "
                       "--binary OLD=NEW or --symfs FOLDER says where it is now",
                       job->code.binary->image.path);
    bolt_names_read(&writer.names, job->code.binary);
    edges_write(&writer, &job->code.edges);
    for (size_t i = 0; i < job->code.calls.n; i++)
        branch_write(&writer, &job->code.calls.at[i]);
    bolt_names_release(&writer.names);
    if (job->options->losses)
        sum_add(&job->options->losses->nameless, writer.nameless);
    return true;
}

/* What perf2bolt -pa reads: branches that were taken (B FROM TO COUNT MISPREDICTED) and straight
 * runs (F FIRST LAST COUNT), in addresses as linked. What comes from elsewhere comes from no build
 * of this module: X. */
#include "export/job/job.h"
#include "export/compilers/runs.h"

#include <inttypes.h>

bool bolt_preagg_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct runs runs;
    struct branches branches;
    branches_make(&branches, &job->code);
    for (size_t i = 0; i < branches.n; i++) {
        const struct branch *branch = &branches.at[i];
        if (branch->from == BRANCH_ELSEWHERE)
            fputs("B X:0", to);
        else
            fprintf(to, "B %" PRIx64, branch->from);
        fprintf(to, " %" PRIx64 " %" PRIu64 " 0\n", branch->to, branch->count);
    }
    branches_release(&branches);
    runs_of_job(&runs, job);
    for (size_t i = 0; i < runs.n; i++)
        fprintf(to, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", runs.at[i].start, runs.at[i].last,
                runs.at[i].count);
    runs_release(&runs);
    return true;
}

/* What perf2bolt -pa reads: branches that were taken (B FROM TO COUNT MISPREDICTED) and straight runs (F FIRST LAST COUNT), in
 * addresses as linked. */
#include "export/export.h"
#include "export/runs.h"

#include <inttypes.h>

void bolt_preagg_write(FILE *to, struct export_job *job)
{
    struct runs runs;
    struct branches branches;
    branches_make(&branches, &job->code);
    for (size_t i = 0; i < branches.n; i++)
        fprintf(to, "B %" PRIx64 " %" PRIx64 " %" PRIu64 " 0\n", branches.at[i].from,
                branches.at[i].to, branches.at[i].count);
    branches_release(&branches);
    /* Arrivals from elsewhere come from no address of the module. */
    for (size_t i = 0; i < job->code.calls.n; i++) {
        const struct code_call *call = &job->code.calls.at[i];
        if (!call->from_us)
            fprintf(to, "B X:0 %" PRIx64 " %" PRIu64 " 0\n", call->to, call->count);
    }
    runs_make(&runs, &job->code);
    for (size_t i = 0; i < runs.n; i++)
        fprintf(to, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", runs.at[i].start, runs.at[i].last,
                runs.at[i].count);
    runs_release(&runs);
}

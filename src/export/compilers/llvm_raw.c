/* What llvm-profgen reads (--unsymbolized-profile=FILE --use-offset=0): straight runs, then
 * branches that were taken, each list with its length before it, in addresses as linked. */
#include "export/job/job.h"
#include "export/compilers/recorded.h"
#include "export/compilers/runs.h"

#include <inttypes.h>

bool llvm_raw_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct runs runs;
    struct branches branches;
    struct recorded recorded = {0};
    bool raw = recorded_wanted(job);
    if (raw)
        recorded_make(&recorded, job), runs_recorded(&runs, job, true);
    else
        runs_make(&runs, &job->code);
    fprintf(to, "%zu\n", runs.n);
    for (size_t i = 0; i < runs.n; i++)
        fprintf(to, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", runs.at[i].start, runs.at[i].last,
                runs.at[i].count);
    runs_release(&runs);
    branches_make(&branches, raw ? &recorded.code : &job->code);
    fprintf(to, "%zu\n", branches.n);
    for (size_t i = 0; i < branches.n; i++)
        fprintf(to, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", branches.at[i].from,
                branches.at[i].to, branches.at[i].count);
    branches_release(&branches);
    recorded_release(&recorded);
    return true;
}

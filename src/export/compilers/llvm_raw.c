/* What llvm-profgen reads (--unsymbolized-profile=FILE --use-offset=0): straight runs, then
 * branches that were taken, each list with its length before it, in addresses as linked. */
#include "export/job/job.h"
#include "export/compilers/runs.h"

#include <inttypes.h>

bool llvm_raw_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct runs runs;
    struct branches branches;
    runs_of_job(&runs, job);
    fprintf(to, "%zu\n", runs.n);
    for (size_t i = 0; i < runs.n; i++)
        fprintf(to, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", runs.at[i].start, runs.at[i].last,
                runs.at[i].count);
    runs_release(&runs);
    branches_make(&branches, &job->code);
    fprintf(to, "%zu\n", branches.n);
    for (size_t i = 0; i < branches.n; i++)
        fprintf(to, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", branches.at[i].from,
                branches.at[i].to, branches.at[i].count);
    branches_release(&branches);
    return true;
}

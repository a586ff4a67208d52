/* What create_gcov and create_llvm_prof of AutoFDO read (--profiler=text): straight runs, single
 * addresses, of which there are none, and branches that were taken, each list with its length
 * before it. Addresses are offsets in the file. */
#include "export/job/job.h"
#include "export/compilers/runs.h"
#include "program/binary.h"

#include <inttypes.h>

/* What is not in the file stays 0: AutoFDO knows no other code. */
static uint64_t offset_of(const struct export_job *job, uint64_t at)
{
    struct foff offset = {0};
    image_to_foff(&job->code.binary->image, (struct svma){at}, &offset);
    return offset.v;
}

bool autofdo_text_write(FILE *to, struct export_job *job, struct err *err)
{
    struct runs runs;
    struct branches branches;
    (void)err;
    runs_of_job(&runs, job);
    fprintf(to, "%zu\n", runs.n);
    for (size_t i = 0; i < runs.n; i++)
        fprintf(to, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", offset_of(job, runs.at[i].start),
                offset_of(job, runs.at[i].last), runs.at[i].count);
    runs_release(&runs);
    branches_make(&branches, &job->code);
    fprintf(to, "0\n%zu\n", branches.n);
    for (size_t i = 0; i < branches.n; i++)
        fprintf(to, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", offset_of(job, branches.at[i].from),
                offset_of(job, branches.at[i].to), branches.at[i].count);
    branches_release(&branches);
    return true;
}

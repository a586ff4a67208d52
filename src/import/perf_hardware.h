/* What hardware told of one sample of perf's: whose record it carries, and what that says. */
#pragma once

#include "import/perf_record.h"
#include "records/ibs.h"

struct perf_machine {
    struct ibs_machine ibs;
    bool intel;
};

struct perf_machine perf_machine_of(const struct perf_file *file);

/* ORIGINS: no more than the kernel tells of any sample. */
enum sample_origin perf_hardware_origin(const struct perf_machine *machine,
                                        const struct perf_file *file, const struct perf_seen *seen);
/* With what the kernel tells of it; addresses as they were. False: it makes no sense. */
bool perf_hardware_decode(const struct perf_machine *machine, const struct perf_seen *seen,
                          enum sample_origin origin, struct sample *ret_sample);
void perf_hardware_tell(const struct perf_seen *seen, enum sample_origin origin,
                        const struct bits_listener *listener);

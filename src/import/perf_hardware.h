/* The hardware record of one sample of perf: its origin and content. */
#pragma once

#include "import/perf_record.h"
#include "records/ibs.h"

struct perf_machine {
    struct ibs_machine ibs;
    bool intel;
};

struct perf_machine perf_machine_of(const struct perf_file *file);

/* ORIGINS: no hardware record. */
enum sample_origin perf_hardware_origin(const struct perf_machine *machine,
                                        const struct perf_file *file, const struct perf_seen *seen);
/* With the kernel's fields; addresses are not translated. False: it makes no sense. */
bool perf_hardware_decode(const struct perf_machine *machine, const struct perf_seen *seen,
                          enum sample_origin origin, struct sample *ret_sample);
void perf_hardware_tell(const struct perf_seen *seen, enum sample_origin origin,
                        const struct bits_listener *listener);

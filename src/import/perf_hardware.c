#include "import/perf_hardware.h"

#include "base/err.h"
#include "records/pebs.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

struct perf_machine perf_machine_of(const struct perf_file *file)
{
    struct perf_machine machine = {0};
    unsigned family, model;
    if (!file->cpuid)
        return machine;
    machine.intel = strncmp(file->cpuid, "GenuineIntel", 12) == 0;
    if (sscanf(file->cpuid, "AuthenticAMD,%u,%u,", &family, &model) == 2)
        machine.ibs = (struct ibs_machine){family, model};
    return machine;
}

enum sample_origin perf_hardware_origin(const struct perf_machine *machine,
                                        const struct perf_file *file, const struct perf_seen *seen)
{
    const char *pmu = perf_file_pmu(file, seen->kind->type);
    if (pmu && strcmp(pmu, "ibs_op") == 0)
        return seen->has & PERF_SAMPLE_RAW ? ORIGIN_IBS_OP : ORIGINS;
    if (pmu && strcmp(pmu, "ibs_fetch") == 0)
        return seen->has & PERF_SAMPLE_RAW ? ORIGIN_IBS_FETCH : ORIGINS;
    if (machine->intel && seen->kind->precise &&
        seen->has & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC))
        return ORIGIN_PEBS;
    return ORIGINS;
}
static struct pebs pebs_of(const struct perf_seen *seen)
{
    return (struct pebs){.has_weight = seen->has & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
                         .split = seen->has & PERF_SAMPLE_WEIGHT_STRUCT,
                         .has_source = seen->has & PERF_SAMPLE_DATA_SRC,
                         .weight = seen->weight,
                         .source = seen->data_source};
}

/* What the kernel tells of any sample, where the hardware's own record did not. */
static void seen_add(const struct perf_seen *seen, struct sample *sample)
{
    if (!sample_knows(sample, SAMPLE_PC) && seen->has & PERF_SAMPLE_IP &&
        sample->at[SAMPLE_ORIGIN] == ORIGIN_PEBS)
        sample_set(sample, SAMPLE_PC, seen->ip);
    if (seen->has & PERF_SAMPLE_TID) {
        sample_set(sample, SAMPLE_PID, seen->pid);
        sample_set(sample, SAMPLE_TID, seen->tid);
    }
    if (seen->has & PERF_SAMPLE_CPU)
        sample_set(sample, SAMPLE_CPU, seen->cpu);
    if (seen->has & PERF_SAMPLE_TIME)
        sample_set(sample, SAMPLE_TIME, seen->time_ns);
    if (seen->has & PERF_SAMPLE_ADDR && seen->address && sample->at[SAMPLE_ORIGIN] == ORIGIN_PEBS)
        sample_set(sample, SAMPLE_DATA, seen->address);
    if (seen->has & PERF_SAMPLE_PHYS_ADDR && seen->physical &&
        !sample_knows(sample, SAMPLE_PHYSICAL))
        sample_set(sample, SAMPLE_PHYSICAL, seen->physical);
}

bool perf_hardware_decode(const struct perf_machine *machine, const struct perf_seen *seen,
                          enum sample_origin origin, struct sample *ret_sample)
{
    struct err ignored;
    struct sample sample = {0};
    struct pebs pebs = pebs_of(seen);
    bool ok = true;
    if (origin == ORIGIN_IBS_OP)
        ok = ibs_op_decode(seen->raw, seen->raw_bytes, &machine->ibs, &sample, &ignored);
    else if (origin == ORIGIN_IBS_FETCH)
        ok = ibs_fetch_decode(seen->raw, seen->raw_bytes, &machine->ibs, &sample, &ignored);
    else
        pebs_decode(&pebs, &sample);
    if (!ok)
        return false;
    seen_add(seen, &sample);
    *ret_sample = sample;
    return true;
}

void perf_hardware_tell(const struct perf_seen *seen, enum sample_origin origin,
                        const struct bits_listener *listener)
{
    struct pebs pebs = pebs_of(seen);
    struct err ignored;
    if (origin == ORIGIN_IBS_OP)
        ibs_op_tell(seen->raw, seen->raw_bytes, listener, &ignored);
    else if (origin == ORIGIN_IBS_FETCH)
        ibs_fetch_tell(seen->raw, seen->raw_bytes, listener, &ignored);
    else
        pebs_tell(&pebs, listener);
}

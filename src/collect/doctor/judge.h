/* Makes findings of attempts: the standing, in words, and what would lift a refusal. */
#pragma once

#include "collect/doctor/findings.h"

struct judge {
    struct findings *findings;
    struct arena *arena;
    const struct machine *machine;
};

/* Advice is left out if all is good. */
void judge_add(struct judge *judge, const char *name, enum standing standing, const char *value,
               const char *meaning, const char *advice);
/* A finding of an attempt; perf_event_paranoid at most `level` would grant it. */
void judge_try(struct judge *judge, const char *name, enum try which, long level, const char *with,
               const char *without);

/* What lifts a refusal of perf_event_open, if perf_event_paranoid at most `level` would grant it;
 * or "". */
const char *judge_perf_advice(struct judge *judge, struct attempt_outcome outcome, long level);
/* A command that changes a setting. Settings belong to the whole machine: in a container the
 * command is for the host. */
const char *judge_setting(struct judge *judge, const char *command);
/* Without a device in /sys the hardware is missing, whatever the error was. */
enum standing judge_hardware_standing(const struct machine *machine,
                                      struct attempt_outcome outcome);

const char *outcome_text(struct judge *judge, struct attempt_outcome outcome);
/* Whether a seccomp filter refused. Kernels answer EACCES for their own settings; filters of
 * container engines EPERM. */
bool outcome_filtered(const struct machine *machine, struct attempt_outcome outcome);

/* Which kinds of recording work. */
void judge_recordings(struct judge *judge);

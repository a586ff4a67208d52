#include "collect/doctor/judge.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const char *const standing_names[] = {
    [STANDING_INFO] = "info",     [STANDING_GOOD] = "good",       [STANDING_LIMITED] = "limited",
    [STANDING_DENIED] = "denied", [STANDING_MISSING] = "missing", [STANDING_UNKNOWN] = "unknown",
};

const char *standing_name(enum standing standing)
{
    return standing_names[standing];
}

void judge_add(struct judge *judge, const char *name, enum standing standing, const char *value,
               const char *meaning, const char *advice)
{
    *vec_push(judge->findings) =
        (struct finding){.name = name,
                         .value = value,
                         .meaning = meaning ? meaning : "",
                         .advice = advice && standing != STANDING_GOOD ? advice : "",
                         .standing = standing};
}

enum standing outcome_standing(struct attempt_outcome outcome)
{
    switch (outcome.result) {
    case ATTEMPT_WORKS: return STANDING_GOOD;
    case ATTEMPT_KILLED: return outcome.why == SIGSYS ? STANDING_DENIED : STANDING_UNKNOWN;
    case ATTEMPT_MUTE: return STANDING_MISSING;
    case ATTEMPT_UNTRIED: return STANDING_UNKNOWN;
    case ATTEMPT_REFUSED: break;
    }
    return outcome.why == EACCES || outcome.why == EPERM ? STANDING_DENIED : STANDING_MISSING;
}

bool outcome_filtered(const struct machine *machine, struct attempt_outcome outcome)
{
    return (outcome.result == ATTEMPT_KILLED && outcome.why == SIGSYS) ||
           (outcome.result == ATTEMPT_REFUSED && machine->seccomp == 2 &&
            (outcome.why == EPERM || outcome.why == ENOSYS));
}

const char *outcome_text(struct judge *judge, struct attempt_outcome outcome)
{
    switch (outcome.result) {
    case ATTEMPT_WORKS: return "works (tried)";
    case ATTEMPT_KILLED:
        return arena_format(judge->arena, "killed (tried): %s%s", strsignal(outcome.why),
                            outcome.why == SIGSYS ? ": a seccomp filter" : "");
    case ATTEMPT_MUTE: return "permitted, but no data came";
    case ATTEMPT_UNTRIED: return "could not be tried";
    case ATTEMPT_REFUSED: break;
    }
    return arena_format(judge->arena, "refused (tried): %s%s", strerror(outcome.why),
                        outcome_filtered(judge->machine, outcome) ? ", by the seccomp filter" : "");
}

const char *judge_setting(struct judge *judge, const char *command)
{
    bool contained = judge->machine->user_namespace || *judge->machine->container;
    return contained ? arena_format(judge->arena, "on the host:  %s", command) : command;
}

const char *judge_perf_advice(struct judge *judge, struct attempt_outcome outcome, long level)
{
    const struct machine *machine = judge->machine;
    if (outcome_standing(outcome) != STANDING_DENIED)
        return "";
    if (outcome_filtered(machine, outcome))
        return "start the container with:  docker run --security-opt seccomp=unconfined "
               "--cap-add PERFMON ...";
    return judge_setting(
        judge, arena_format(judge->arena, "sudo sysctl kernel.perf_event_paranoid=%ld", level));
}

void judge_try(struct judge *judge, const char *name, enum try which, long level, const char *with,
               const char *without)
{
    struct attempt_outcome outcome = judge->machine->tried[which];
    enum standing standing = outcome_standing(outcome);
    judge_add(judge, name, standing, outcome_text(judge, outcome),
              standing == STANDING_GOOD ? with : without, judge_perf_advice(judge, outcome, level));
}

enum standing judge_hardware_standing(const struct machine *machine, struct attempt_outcome outcome)
{
    enum standing standing = outcome_standing(outcome);
    return standing != STANDING_GOOD && !machine->core_pmu ? STANDING_MISSING : standing;
}

/* Which kinds of recording work, judged by the recordings that were tried. */
#include "collect/doctor/judge.h"
#include "wire/channel.h"

static const char *record_advice(const struct machine *machine)
{
    struct attempt_outcome sampled = machine->sampled;
    if (machine->tried[TRY_perf].result == ATTEMPT_KILLED &&
        machine->tried[TRY_timer].result == ATTEMPT_WORKS)
        return "gait record --trigger cputime --no-kernel -- PROGRAM";
    if (sampled.result != ATTEMPT_WORKS)
        return "follow the advice above, then run gait doctor again";
    return machine->folder_writable ? "" : "gait record -o /tmp/gait.data -- PROGRAM";
}

static void judge_record(struct judge *judge)
{
    static const char *const by[] = {
        [TRIGGER_AUTO] = "but nothing interrupts the program",
        [TRIGGER_PERF] = "triggered by the perf clock",
        [TRIGGER_CPUTIME] = "triggered by the CPU-time timer",
    };
    const struct machine *machine = judge->machine;
    struct attempt_outcome sampled = machine->sampled;
    struct attempt_outcome perf = machine->tried[TRY_perf];
    bool works = sampled.result == ATTEMPT_WORKS, here = machine->folder_writable;
    bool killed = perf.result == ATTEMPT_KILLED; /* it asks the kernel for samples, too */
    judge->findings->records = works && here && !killed && sampled.value != TRIGGER_AUTO;
    enum standing standing = !works                         ? outcome_standing(sampled)
                             : !judge->findings->records    ? STANDING_DENIED
                             : perf.result == ATTEMPT_WORKS ? STANDING_GOOD
                                                            : STANDING_LIMITED;
    judge_add(judge, "record", standing, outcome_text(judge, killed ? perf : sampled),
              sampled.result == ATTEMPT_MUTE ? "the program ran, but without the agent"
              : !works || killed             ? ""
              : !here                        ? "but this folder is not writable"
              : standing == STANDING_LIMITED ? "without samples of the kernel"
                                             : by[sampled.value],
              record_advice(machine));
    judge_add(judge, "record --exact", outcome_standing(machine->exact),
              outcome_text(judge, machine->exact), "",
              "follow the advice above, then run gait doctor again");
}

/* What was tried as a whole counts; where that failed, the part that is to blame explains it. */
static void add_trial(struct judge *judge, const char *name, struct attempt_outcome trial,
                      enum try part, long level, const char *with)
{
    struct attempt_outcome cause = judge->machine->tried[part];
    bool works = trial.result == ATTEMPT_WORKS;
    struct attempt_outcome told = works || cause.result == ATTEMPT_WORKS ? trial : cause;
    judge_add(judge, name, outcome_standing(told), outcome_text(judge, told), works ? with : "",
              judge_perf_advice(judge, told, level));
}

static void judge_plain(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    struct attempt_outcome stacks = machine->tried[TRY_stacks];
    if (machine->plain.result == ATTEMPT_WORKS && stacks.result != ATTEMPT_WORKS)
        judge_add(judge, "record --plain", STANDING_LIMITED,
                  "works (tried), but samples have no stacks", "",
                  judge_perf_advice(judge, stacks, 2));
    else
        add_trial(judge, "record --plain", machine->plain, TRY_samples, 2, "with stacks");
    add_trial(judge, "record -p PID", machine->follow, TRY_other, 2,
              "can attach to your own processes");
    add_trial(judge, "record -a", machine->everything, TRY_everything, 0, "");
    struct attempt_outcome cycles = machine->tried[TRY_cycles];
    judge_add(judge, "record -e PMU", judge_hardware_standing(machine, cycles),
              outcome_text(judge, cycles), "see gait list events",
              machine->core_pmu ? judge_perf_advice(judge, cycles, 2) : "");
}

/* Both give branches; walks work everywhere. */
static void judge_branches(struct judge *judge)
{
    const struct machine *machine = judge->machine;
    struct attempt_outcome branches = machine->tried[TRY_branches];
    enum standing standing = judge_hardware_standing(machine, branches);
    bool works = standing == STANDING_GOOD;
    judge_add(
        judge, "branches", judge->findings->records ? STANDING_GOOD : standing,
        works ? "gait record walks; gait record --branches lbr takes the processor's records"
              : "gait record walks; this machine grants no branch records of the processor",
        works ? "which cost less a sample, and say less: no values, paths, or long loops" : "", "");
}

void judge_recordings(struct judge *judge)
{
    judge->findings->verdicts_at = judge->findings->n;
    judge_record(judge);
    judge_plain(judge);
    judge_branches(judge);
}

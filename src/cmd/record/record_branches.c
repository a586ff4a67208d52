#include "cmd/record/record_branches.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/ending.h"
#include "cmd/record/record_options.h"
#include "cmd/record/summary_parts.h"
#include "collect/output/output.h"
#include "collect/plain/branches.h"
#include "collect/target/cpu_times.h"
#include "import/perf_data.h"
#include "profile/file/file.h"
#include "profile/sums.h"

#include <string.h>
#include <sys/stat.h>

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* The file has no names of events. */
static void event_rename(struct profile *profile, const char *event)
{
    for (size_t i = 0; i < profile->facts.n; i++) {
        struct fact *fact = &profile->facts.at[i];
        if (strcmp(fact->key, "event") == 0 || strcmp(fact->key, "clock") == 0)
            fact->value = arena_string(&profile->arena, event);
    }
}

static bool profile_make(struct profile *profile, const struct record_command *options,
                         const struct branches_recording *recording, struct err *err)
{
    const struct branches_file *file = &recording->file;
    struct totals *totals = &profile->totals;
    output_describe(profile, options->walks.command);
    profile_fact(profile, "branches", options->branches == BRANCHES_BARE ? "none" : "lbr");
    if (!perf_data_import(profile, file->at, file->n, NULL, err))
        return err_in(err, "records of the kernel");
    event_rename(profile, recording->event);
    totals->user_ns = timeval_ns(recording->usage.ru_utime);
    totals->kernel_ns = timeval_ns(recording->usage.ru_stime);
    totals->tool_ns = recording->tool_ns;
    sum_add(&totals->losses[LOSS_sample_lost], recording->dropped);
    profile->complete = true;
    return true;
}

static void summary(const struct record_command *options, const struct profile *profile,
                    const struct branches_recording *recording)
{
    const struct totals *totals = &profile->totals;
    char samples[32], windows[32], instructions[32];
    struct stat status;
    say("user %.2f s, kernel %.2f s; %.2f s elapsed", summary_seconds(totals->user_ns),
        summary_seconds(totals->kernel_ns), summary_seconds(recording->wall_ns));
    say("branches: records of the processor, %s samples by %s",
        summary_grouped(totals->interrupts, samples), recording->event);
    say("%s of them with branches, %s instructions between them",
        summary_grouped(totals->windows, windows),
        summary_grouped(totals->instructions, instructions));
    summary_losses(totals, options->verbose);
    if (stat(options->walks.output, &status) == 0)
        summary_file(options->walks.output, (uint64_t)status.st_size, "report");
}

int record_branches(const struct record_command *options)
{
    struct err err;
    struct profile profile;
    struct branches_recording recording;
    struct branches_options wish = {.argv = options->walks.argv,
                                    .hz = options->plain.hz,
                                    .seed = options->walks.record.seed,
                                    .bare = options->branches == BRANCHES_BARE};
    if (!branches_run(&wish, &recording, &err))
        return end_not_started(recording.exec_errno, &err);
    profile_init(&profile);
    bool ok = profile_make(&profile, options, &recording, &err) &&
              profile_write(options->walks.output, &profile, &err);
    if (!ok)
        say("the profile could not be written: %s", err.text);
    else if (!options->quiet)
        summary(options, &profile, &recording);
    profile_release(&profile);
    vec_release(&recording.file);
    return ok ? record_show_and_end(options, recording.status) : EXIT_RECORD_FAILED;
}

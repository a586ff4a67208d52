#include "cmd/carried.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "profile/profile.h"

static void report_say(const struct carry_report *report, const char *input,
                       const struct carry_options *options)
{
    say("%s was recorded with another build than %s (build-id %s, not %s): carried over", input,
        options->binary, report->old_build, report->new_build);
    if (!report->functions) {
        say("the places of %.1f %% of its time were found again", 100 * report->weight_kept);
        return;
    }
    say("%llu of %llu functions that ran and %llu of %llu blocks were found again: %.1f %% of what "
        "it executed",
        (unsigned long long)report->functions_kept, (unsigned long long)report->functions,
        (unsigned long long)report->blocks_kept, (unsigned long long)report->blocks,
        100 * report->weight_kept);
}

int profile_carry(struct profile *profile, const char *input, const struct carry_options *options,
                  bool quiet)
{
    struct carry_report report;
    struct profile carried;
    struct err err;
    if (!carry_profile(&carried, profile, options, &report, &err)) {
        profile_release(profile);
        err_in(&err, "%s", input);
        return say_err(&err);
    }
    profile_release(profile);
    *profile = carried;
    if (!quiet && !report.same)
        report_say(&report, input, options);
    return EXIT_DONE;
}

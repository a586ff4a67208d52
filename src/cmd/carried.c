#include "cmd/carried.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "profile/kernel_names.h"
#include "profile/profile.h"
#include "store/place.h"
#include "store/read.h"

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

static int one_load(const char *input, const char *event, const struct carry_options *options,
                    bool quiet, struct profile *ret_profile)
{
    int status = profile_load_event(input, quiet, event, ret_profile);
    if (status != EXIT_DONE)
        return status;
    kernel_names_complete(ret_profile);
    return profile_carry(ret_profile, input, options, quiet);
}

/* A build that nothing can be carried over of is left out, after a message. */
static int builds_load(const struct store_texts *builds, const char *event,
                       const struct carry_options *options, bool quiet, struct profile *ret_profile)
{
    int status = EXIT_DONE, failed = EXIT_DONE;
    bool any = false;
    for (size_t i = 0; i < builds->n; i++) {
        struct profile one, *to = any ? &one : ret_profile;
        struct err err;
        status = one_load(builds->at[i], event, options, quiet, to);
        if (status != EXIT_DONE) {
            failed = status;
            continue;
        }
        if (any && !profile_merge(ret_profile, &one, &err))
            failed = say_err(&err);
        if (any)
            profile_release(&one);
        any = true;
    }
    return any ? EXIT_DONE : failed;
}

int profile_load_carried(const char *input, const char *event, const struct carry_options *options,
                         bool quiet, struct profile *ret_profile)
{
    struct arena arena = {0};
    struct store_texts builds = {0};
    struct err err;
    int status;
    if (store_named(input) && !store_builds(input, &arena, &builds, &err))
        status = say_err(&err);
    else if (builds.n > 1 && !options->recorded)
        status = builds_load(&builds, event, options, quiet, ret_profile);
    else
        status = one_load(input, event, options, quiet, ret_profile);
    vec_release(&builds);
    arena_release(&arena);
    return status;
}

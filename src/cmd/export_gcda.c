#include "cmd/export_gcda.h"

#include "base/err.h"
#include "cmd/cmd.h"

/* In percent; what is not all is never shown as all. */
static double percent(double share)
{
    return share < 1 && share > 0.999 ? 99.9 : 100 * share;
}

int export_gcda(const struct profile *profile, const char *input,
                const struct gcda_options *options, bool quiet)
{
    struct gcda_report report;
    struct err err;
    if (!gcda_export(profile, options, &report, &err)) {
        err_in(&err, "%s", input);
        return say_err(&err);
    }
    if (quiet)
        return EXIT_DONE;
    say("wrote %zu .gcda file%s %s %s: %zu functions that ran, %.1f %% of what the program "
        "executed of "
        "its own",
        report.files, report.files == 1 ? "" : "s", options->folder ? "to" : "beside the notes in",
        options->folder ? options->folder : options->notes, report.functions,
        percent(report.explained));
    if (report.told < 1)
        say("of %.1f %% of what gcc's branches ran the program tells which way they went; the rest "
            "is inferred from counts of lines",
            percent(report.told));
    if (report.poor)
        say("%zu function%s poorly determined: the program has no branches for most of theirs; "
            "first of them %s",
            report.poor, report.poor == 1 ? " is" : "s are", report.poor_most);
    if (report.valued)
        say("%zu function%s counters of divisors and sizes: build with -fprofile-use "
            "-fprofile-correction",
            report.valued, report.valued == 1 ? " has" : "s have");
    if (report.moved)
        say("%zu that %s there: kept as .gcda.old", report.moved,
            report.moved == 1 ? "was" : "were");
    if (report.foreign)
        say("%zu .gcno files belong to no code of the program that ran: nothing was written for "
            "them",
            report.foreign);
    if (report.left)
        say("%zu of them have a .gcda file of another run: it is left, and gcc will use it",
            report.left);
    if (report.unreadable)
        say("%zu .gcno files could not be read", report.unreadable);
    return EXIT_DONE;
}

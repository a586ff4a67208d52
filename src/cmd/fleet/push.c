/* gait push: brings recordings into a store. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/flags.h"
#include "store/push.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    const char *store;
    char **files;
    struct push_options push;
    bool quiet;
};

static const struct flag flags[] = {
    {"store", 's', "STORE", NULL, "sqlite:PATH or postgresql://HOST/BASE",
     TAKE(text, struct options, store)},
    {"service", 0, "NAME", NULL, "the service that was recorded (the program's name)",
     TAKE(text, struct options, push.service)},
    {"machine", 0, "NAME", NULL, "the machine that it ran on (the host that the recording names)",
     TAKE(text, struct options, push.machine)},
    {"values", 0, NULL, NULL, "send values, which can hold secrets, and data addresses, too",
     TAKE(set, struct options, push.values)},
    {"compact", 0, NULL, NULL, "leave out when within a recording things happened, and its paths",
     TAKE(set, struct options, push.compact)},
    {"unfinished", 0, NULL, NULL, "also recordings that were not closed",
     TAKE(set, struct options, push.unfinished)},
    {"quiet", 'q', NULL, NULL, "say nothing but errors", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait push -s STORE FILE...\n\nBrings recordings into a store, each once: a "
             "file that is sent again is not counted again.\n",
    .flags = flags,
};

enum { COMMIT_FILES = 64 };

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){0};
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    options->files = argv + optind;
    if (!options->store)
        return err_set(err, ERR_USAGE, "no store: gait push -s sqlite:PATH FILE...");
    if (optind == argc)
        return err_set(err, ERR_USAGE, "nothing to send: gait push -s STORE FILE...");
    return true;
}

struct some {
    char **files;
    bool quiet;
};

static bool one_push(struct push *push, void *to, size_t i, struct err *err)
{
    const struct some *some = to;
    bool ok = push_file(push, some->files[i], err);
    if (ok && *push->warning && !some->quiet)
        say("%s", push->warning);
    return ok;
}

static bool push_all(struct push *push, const struct options *options, struct err *err)
{
    struct some some = {options->files, options->quiet};
    size_t n = 0;
    bool ok = true;
    for (; ok && *some.files; some.files += n) {
        for (n = 0; some.files[n] && n < COMMIT_FILES; n++)
            continue;
        ok = push_together(push, n, one_push, &some, err);
    }
    return ok;
}

int cmd_push(int argc, char **argv)
{
    struct options options;
    struct err err;
    struct store store;
    struct push push;
    if (!parse(&options, argc, argv, &err) || !store_open(options.store, SQL_MAKE, &store, &err))
        return say_err(&err);
    push_init(&push, &store, &options.push);
    bool ok = push_all(&push, &options, &err);
    if (ok && !options.quiet)
        say("%llu recordings sent, %llu were there already; %llu KiB",
            (unsigned long long)push.sums.sent, (unsigned long long)push.sums.same,
            (unsigned long long)(push.sums.bytes + 1023) / 1024);
    push_release(&push);
    store_close(&store);
    return ok ? EXIT_DONE : say_err(&err);
}

/* gait view: a profile in the browser. */
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "cmd/view/browser.h"
#include "cmd/view/routes.h"
#include "cmd/view/view.h"
#include "profile/profile.h"
#include "serve/http_library.h"
#include "serve/server.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    uint32_t port; /* 0: any that is free */
    bool no_open, diff, quiet;
    struct viewed viewed;
};

static const struct flag flags[] = {
    {"diff", 0, NULL, NULL, "compare two profiles: gait view --diff BEFORE AFTER",
     TAKE(set, struct options, diff)},
    {"port", 0, "N", NULL, "port of 127.0.0.1 (any that is free)", TAKE(u32, struct options, port),
     .low = 1, .high = 65535, .expected = "a port"},
    {"no-open", 0, NULL, NULL, "print the address, but do not open a browser",
     TAKE(set, struct options, no_open)},
    VIEW_BINARY_SHOWN,
    VIEW_SYMFS_SHOWN,
    {"quiet", 'q', NULL, NULL, "do not mention a damaged file", TAKE(set, struct options, quiet)},
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait view [options] [FILE]\n       gait view [options] --diff BEFORE AFTER\n\n"
             "Shows a profile (gait.data) in the browser, by a server that only this machine can "
             "reach.\nPrints its address; Ctrl-C ends it.\n",
    .flags = flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    struct viewed *viewed = &options->viewed;
    if (!flags_parse(&this_command, options, argc, argv, err))
        return false;
    while (optind < argc && viewed->n < 2)
        viewed->paths[viewed->n++] = argv[optind++];
    if (options->diff && (viewed->n != 2 || optind < argc))
        return err_set(err, ERR_USAGE, "expected two files: gait view --diff BEFORE AFTER");
    if (!options->diff && (viewed->n > 1 || optind < argc))
        return err_set(err, ERR_USAGE,
                       "expected one file; to compare two: gait view --diff BEFORE AFTER");
    if (!viewed->n)
        viewed->paths[viewed->n++] = "gait.data";
    return true;
}

int viewed_load(struct viewed *viewed, bool quiet)
{
    for (size_t i = 0; i < viewed->n; i++) {
        struct profile profile;
        int status = profile_load(viewed->paths[i], quiet, &profile);
        if (status != EXIT_DONE)
            return status;
        viewed->warnings[i] = profile.warning;
        profile_preload(viewed->paths[i], &profile);
    }
    return EXIT_DONE;
}

struct serving {
    uint16_t port;
    bool open_it;
    FILE *to; /* the address */
};

static int serve(struct viewed *viewed, const struct serving *how)
{
    struct err err;
    struct server *server;
    /* What the first page asks for. */
    /* of the flame graph */
    static struct question_param heaviest[] = {{"cpu-time", ""}, {"limit", "4000"}};
    static struct question_param over_time[] = {{"limit", "8"}};
    static struct question_param by_function[] = {{"by", "function"}};
    static const struct question first[] = {{"about", NULL, 0},         {"info", NULL, 0},
                                            {"report", by_function, 1}, {"timeline", over_time, 1},
                                            {"contexts", heaviest, 2},  {NULL, NULL, 0}};
    struct server_options options = {.port = how->port,
                                     .make = route_answer,
                                     .data = viewed,
                                     .has_route = route_exists,
                                     .first = first};
    if (!server_open(&server, &options, &err))
        return say_err(&err);
    fprintf(how->to, "%s\n", server_url(server));
    fflush(how->to);
    say("showing %s%s%s at this address; Ctrl-C ends", viewed->paths[0],
        viewed->n > 1 ? " and " : "", viewed->n > 1 ? viewed->paths[1] : "");
    struct door door = {0};
    if (how->open_it && browser_has_display()) {
        if (door_make(&door, server_url(server), &err))
            browser_open(&door);
        else
            say("no browser was opened (%s): open the address yourself", err.text);
    }
    bool good = server_run(server, &err);
    door_remove(&door);
    server_close(server);
    return good ? EXIT_DONE : say_err(&err);
}

bool view_is_possible(struct err *err)
{
    struct http_library library;
    return http_library_open(&library, err);
}

int view_profile(const char *path)
{
    struct viewed viewed = {.paths = {path}, .n = 1};
    int status = viewed_load(&viewed, true);
    if (status != EXIT_DONE)
        return status;
    return serve(&viewed, &(struct serving){.open_it = true, .to = stderr});
}

int cmd_view(int argc, char **argv)
{
    struct options options = {0};
    struct err err;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    int status = viewed_load(&options.viewed, options.quiet);
    if (status != EXIT_DONE)
        return status;
    return serve(&options.viewed, &(struct serving){.port = (uint16_t)options.port,
                                                    .open_it = !options.no_open,
                                                    .to = stdout});
}

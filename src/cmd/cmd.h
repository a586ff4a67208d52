/* The subcommands, their exit codes and their messages. */
#pragma once

struct err;

#define COMMAND(name, help) int cmd_##name(int argc, char **argv);
#include "cmd/commands.def"
#undef COMMAND

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_USAGE = 129,
    /* record returns the program's own status; its failures have numbers that programs avoid. */
    EXIT_RECORD_FAILED = 125,
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127,
};

/* "gait: text" on stderr. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
/* The same with the text of an error; returns the exit status of its kind. */
int say_err(const struct err *err);

/* The common part of commands that show one function of a profile, or a few. */
#pragma once

#include "cmd/options/view_options.h"

struct report;

struct function_view {
    const char *command; /* the command's name */
    const char *typed;   /* FUNCTION; NULL: not given */
    bool (*show)(struct report *report, void *of, struct err *err);
};

/* Takes [FUNCTION [FILE]] from the arguments; FILE is gait.data if it is not there. */
bool function_view_words(struct view_options *view, struct function_view *function, int argc,
                         char **argv, struct err *err);
/* Reads the profile, makes its report by function and has it shown; the exit status. */
int function_view_run(const struct view_options *view, const struct function_view *function,
                      void *of);

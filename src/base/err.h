/* An error for the user: one line; callers add context in front.
 *
 * A function that can fail on bad input or on the system takes a struct err * last and returns
 * false; its ret_ outputs are then untouched. Nothing below cmd/ prints. Bugs use ASSERT. */
#pragma once

#include <stdbool.h>

enum err_kind { ERR_NONE, ERR_SYSTEM, ERR_FORMAT, ERR_USAGE, ERR_MISSING };

struct err {
    enum err_kind kind;
    char text[512];
};

/* Sets kind and text; always returns false, so that a failing function can return it. */
__attribute__((format(printf, 3, 4))) bool err_set(struct err *err, enum err_kind kind,
                                                   const char *format, ...);
/* As err_set with ERR_SYSTEM, and ": strerror(errno)" behind the text. */
__attribute__((format(printf, 2, 3))) bool err_errno(struct err *err, const char *format, ...);
/* Puts "context: " before the text; returns false. */
__attribute__((format(printf, 2, 3))) bool err_in(struct err *err, const char *format, ...);

/* A broken invariant is a bug in gait: say where, and stop. On in release. */
#define ASSERT(condition) ((condition) ? (void)0 : assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void assert_failed(const char *condition, const char *file, int line);

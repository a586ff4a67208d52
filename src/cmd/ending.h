/* How commands end that run a program: as the program did. */
#pragma once

struct err;

/* Ends this process by the program's signal, or returns its exit status (of waitpid). */
int end_as(int status);
/* Says why a program did not start; the exit status. exec_errno 0: it was not exec that failed. */
int end_not_started(int exec_errno, const struct err *err);

/* What a thread waits for, from the names of the kernel's functions below which it left its CPU. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wait_reason {
    const char *what;     /* "futex", "read (pipe)", "runnable": constant texts */
    const char *syscall;  /* "clock_nanosleep", in the name it was taken from; "": none */
    size_t syscall_bytes; /* of it */
};

/* names: of kernel functions, innermost first. runnable: it was pushed off its CPU. */
struct wait_reason wait_reason_find(const char *const *names, size_t n, bool runnable);

/* By the system call alone: an address of WAIT_MODULE (profile/waits.h). */
struct wait_reason wait_reason_of_call(uint64_t call);
/* The stack was not taken. */
struct wait_reason wait_reason_unseen(bool runnable);

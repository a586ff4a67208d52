/* The native twin: a process that the kernel steps by ptrace, instruction by instruction. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/user.h>

struct entry;

struct twin {
    pid_t pid;
    int memory; /* /proc/PID/mem */
    struct user_regs_struct regs;
    uint64_t steps;
    bool chance; /* it has met an instruction whose result is another each time (rdtsc, ...) */
    uint64_t came_from;
};

/* Waits for its first stop and gives it the state. */
bool twin_open(struct twin *twin, pid_t pid, const struct entry *state);
void twin_close(struct twin *twin);

/* One instruction, a repeated string instruction with all its rounds. False: it did not end as a
 * step does. */
bool twin_step(struct twin *twin);
/* Whether it stands in front of a system call. */
bool twin_at_syscall(struct twin *twin);
/* Makes it do a system call where it stands in front of one; registers are afterwards as before. */
long twin_call(struct twin *twin, uint64_t number, const uint64_t argument[6]);

void twin_set(struct twin *twin);
bool twin_read(const struct twin *twin, uint64_t at, void *into, size_t bytes);
bool twin_write(const struct twin *twin, uint64_t at, const void *from, size_t bytes);
bool twin_xsave(const struct twin *twin, uint8_t *into, size_t bytes);
/* In the order of encodings: rax, rcx, rdx, rbx, rsp, ... */
uint64_t *twin_gpr(struct twin *twin, int number);

/* A thread that is off its CPU, as /proc has it: system call, stack pointer, instruction pointer.
 *
 * This needs no rights but those over the own programs. Without the other registers, its stack may
 * end at a function with a frame pointer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples;

struct blocked {
    uint64_t call; /* as in profile/waits.h */
    uint64_t sp, pc;
};

/* False: it runs, or is about to; or it has ended, or is somebody else's. */
bool blocked_read(uint32_t pid, uint32_t tid, struct blocked *ret_blocked);
/* The node of its stack, with the system call innermost. */
uint32_t blocked_node(struct samples *stacks, uint32_t pid, uint32_t tid,
                      const struct blocked *blocked);

/* A customisation module (wire/gait-module.h) in a process of its own, and questions to it.
 *
 * Whatever it does, a question takes half a second at most: then it is killed, with all that it
 * started, and from there on every answer is no. What it answers is checked. It has the tool's
 * memory of before the recording, and none that is shared; of its own it gets MODULE_BYTES. It
 * reads nothing of the program's input, and what it prints goes to standard error. */
#pragma once

#include "wire/gait-module.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct latency_scale;

enum { MODULE_TUPLES = 4096, MODULE_TEXT = 64, MODULE_BYTES = 256 << 20 };

struct module_pair {
    uint32_t place, reserved;
    uint64_t value;
};

struct module_host {
    int pid, fd;      /* fd < 0: there is none, or no longer */
    char name[64];    /* as it says */
    uint32_t kinds;   /* enum gait_kind, likewise */
    char failed[160]; /* why it is no longer there; "" */
    uint64_t cpu_ns;  /* that it had used when it ended */
    uint64_t dropped; /* pairs that were more than an answer holds */
};

/* Starts it; false: there is no such module. */
bool module_host_open(struct module_host *host, const char *path, struct err *err);
void module_host_close(struct module_host *host);
/* CPU time that its process has used: part of what recording costs. */
uint64_t module_host_cpu_ns(const struct module_host *host);
/* Once, before tuples. */
void module_host_scale(struct module_host *host, const struct latency_scale *scale);

/* What it wants of an instruction; 0 if it is no longer there. */
uint32_t module_host_wants(struct module_host *host, const struct gait_instruction *instruction);
/* At most MODULE_TUPLES; *ret_pairs holds until the next question. False: it is no longer there. */
bool module_host_take(struct module_host *host, const struct gait_tuple *tuples, uint32_t n,
                      const struct module_pair **ret_pairs, uint32_t *ret_n);
/* False: it has nothing to say. */
bool module_host_format(struct module_host *host, uint64_t value, char text[MODULE_TEXT]);

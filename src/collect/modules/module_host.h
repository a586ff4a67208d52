/* A customisation module (wire/gait-module.h) in a process of its own, and questions to it.
 *
 * A question takes half a second at most, whatever the module does. Then the module is killed with
 * all that it started, and every further answer is no. Answers are checked. The module gets a copy
 * of the tool's memory from before the recording, nothing shared, and MODULE_BYTES of its own. It
 * cannot read the program's input; what it prints goes to standard error. */
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
    int pid, fd;      /* fd < 0: no module, or it was killed */
    char name[64];    /* as the module says */
    uint32_t kinds;   /* enum gait_kind, as the module says */
    char failed[160]; /* why it was killed; or "" */
    uint64_t cpu_ns;  /* that it had used at its end */
    uint64_t dropped; /* pairs that did not fit into an answer */
};

/* Starts it. False: there is no such module. */
bool module_host_open(struct module_host *host, const char *path, struct err *err);
void module_host_close(struct module_host *host);
/* CPU time of its process: part of the cost of recording. */
uint64_t module_host_cpu_ns(const struct module_host *host);
/* Call once, before tuples. */
void module_host_scale(struct module_host *host, const struct latency_scale *scale);

/* The kinds that it wants of an instruction; 0 if it was killed. */
uint32_t module_host_wants(struct module_host *host, const struct gait_instruction *instruction);
/* n: at most MODULE_TUPLES. *ret_pairs is valid until the next question. False: it was killed. */
bool module_host_take(struct module_host *host, const struct gait_tuple *tuples, uint32_t n,
                      const struct module_pair **ret_pairs, uint32_t *ret_n);
/* False: no text. */
bool module_host_format(struct module_host *host, uint64_t value, char text[MODULE_TEXT]);

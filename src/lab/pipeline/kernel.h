/* A small loop for the model of a core, instruction by instruction in hexadecimal: what figures are
 * made of that papers took of loops written for them. */
#pragma once

#include "model/core/model.h"
#include "model/pmu/step.h"
#include "compress/random.h"

struct err;

/* One instruction. A load or a store goes to one address, or to any of so many bytes, 8 by 8. */
struct kernel_line {
    const char
        *bytes; /* "4801d8"; NULL ends the loop, of which the last is a branch to the first */
    const char *text;
    uint32_t reach_bytes;
    uint32_t times; /* in a row; 0: once */
};

struct kernel_place {
    struct core_insn insn;
    struct avma at;
    const struct kernel_line *line;
};

/* A core, and what looks at it. */
struct kernel_machine {
    struct model model;
    struct core *core;
    struct random random;
    void (*see)(void *context, const struct pmu_step *step);
    void *context;
};

struct kernel {
    VEC(struct kernel_place);
    struct avma end;
};

bool kernel_machine_open(struct kernel_machine *machine, const char *core, struct err *err);
void kernel_machine_close(struct kernel_machine *machine);

/* At that address, for that machine's model. */
void kernel_make(struct kernel *kernel, const struct kernel_machine *machine,
                 const struct kernel_line *lines, struct avma at);
void kernel_release(struct kernel *kernel);
void kernel_run(struct kernel_machine *machine, const struct kernel *kernel, uint64_t turns);
/* Which of them is there; kernel->n: none. */
size_t kernel_find(const struct kernel *kernel, struct avma at);

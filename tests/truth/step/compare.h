/* What of two states must be equal, and how memory is compared and copied. */
#pragma once

#include "log.h"
#include "twin.h"

/* Registers, flags, vector registers. Flags that differ are allowed where the program overwrites
 * all of them before it reads any. What differs is printed; true: nothing. */
bool states_equal(struct twin *twin, const struct entry *entry);

struct memory_pair {
    pid_t walked;
    int memory; /* of the walked process */
    const struct log *log;
    uint64_t bytes; /* compared so far */
};

/* All private writable memory of the program. True: equal. */
bool memory_equal(struct memory_pair *pair, struct twin *twin);
/* What the kernel wrote for the walked one is written for the twin. */
bool memory_copy(struct memory_pair *pair, struct twin *twin);
/* A mapping that is there now: whole, as far as it can be read. */
void memory_copy_range(struct memory_pair *pair, struct twin *twin, uint64_t start, uint64_t end);

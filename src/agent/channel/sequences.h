/* Restartable sequences (rseq): code that the kernel starts again when it interrupts it. It knows
 * them by their addresses, so on copies they would lose what makes them right: they are found here
 * and refused. */
#pragma once

#include <stdint.h>

struct regions;

/* Looks for sequences of a module: the ELF file at path, of which what is at file offset `offset`
 * was mapped executable at `start`. Adds them to the regions. */
void sequences_find(struct regions *regions, const char *path, uint64_t start, uint64_t offset);

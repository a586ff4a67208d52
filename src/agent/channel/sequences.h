/* Restartable sequences (rseq): code that the kernel restarts when it interrupts it. The kernel
 * knows them by their addresses, so copies of them would be wrong: they are found here and refused.
 */
#pragma once

#include <stdint.h>

struct regions;

/* Adds the sequences of a module to the regions. The module is the ELF file at path; its file
 * offset `offset` is mapped executable at `start`. */
void sequences_find(struct regions *regions, const char *path, uint64_t start, uint64_t offset);

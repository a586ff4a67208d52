/* What an instruction is, wherever it lies: two numbers that are equal for equal instructions of
 * two builds.
 *
 * Addresses have no part in it: targets of branches, what is relative to the instruction pointer.
 * `exact` has registers, constants and displacements, `loose` no more than the operation. What is
 * called by name is in both, less what compilers put behind a name. */
#pragma once

#include "program/insn/disasm.h"

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct fingerprint {
    uint64_t exact, loose;
};

/* symbols: NULL: what is called does not count. */
struct fingerprint fingerprint_of(const struct image *image, const struct symbols *symbols,
                                  const struct instruction *instruction);

/* One number of two, in which the order matters. */
uint64_t fingerprint_mix(uint64_t a, uint64_t b);
/* Of the name of a function, of which so many bytes count. */
uint64_t fingerprint_text(const char *text, size_t bytes);
/* How many bytes of a name are what the source called it: compilers and linkers put ".part.0",
 * ".isra.0", ".constprop.0", ".cold", ".llvm.123", ".lto_priv.0" behind it. */
size_t name_stem_bytes(const char *linkage);

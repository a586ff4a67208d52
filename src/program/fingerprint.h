/* Two hashes of an instruction that are equal for equal instructions of two builds.
 *
 * Addresses are left out: branch targets and rip-relative operands. `exact` includes registers,
 * constants and displacements; `loose` only the operation. Both include the name of a called
 * function, without a compiler's suffix. */
#pragma once

#include "program/insn/disasm.h"

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct fingerprint {
    uint64_t exact, loose;
};

/* symbols may be NULL: then called names are left out. */
struct fingerprint fingerprint_of(const struct image *image, const struct symbols *symbols,
                                  const struct instruction *instruction);

/* Combines two hashes; their order matters. */
uint64_t fingerprint_mix(uint64_t a, uint64_t b);
/* Hash of the first bytes of a function name. */
uint64_t fingerprint_text(const char *text, size_t bytes);
/* Length of the name without suffixes of compilers and linkers: ".part.0", ".isra.0",
 * ".constprop.0", ".cold", ".llvm.123", ".lto_priv.0". */
size_t name_stem_bytes(const char *linkage);

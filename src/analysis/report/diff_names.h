/* Pairs names of two builds. */
#pragma once

#include "analysis/report/diff.h"

/* The name without the suffixes of compilers: ".cold", ".part.N", ".constprop.N", ".isra.N",
 * ".lto_priv.N",
 * ".llvm.N" and kin. The same pointer if there are none. */
const char *diff_base_name(struct arena *arena, const char *linkage);

/* Pairs the modules of both scenes; ret_pair_of[side][module of the scene] is the index in
 * diff->modules. The caller frees both. only: those of this path or name are shown; NULL: all. */
void diff_pair_modules(struct diff *diff, uint32_t *ret_pair_of[SIDES_MAX], const char *only);

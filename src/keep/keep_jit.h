/* Code that was made at run time, as a profile keeps it: names, bytes and lines of a dump
 * (program/names/jit_dump.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct jit_dump;
struct profile;

/* Adds the codes of the dump that are wanted, one flag for each; they do not overlap. */
void jit_codes_keep(const struct jit_dump *dump, const bool *wanted, uint32_t module,
                    struct profile *profile);

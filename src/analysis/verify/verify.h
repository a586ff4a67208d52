/* Checks a profile against itself and against its binaries.
 *
 * - Every edge is one that the instruction at its start can make, and leads to an instruction.
 * - Every range decodes from start to last with its number of instructions, and has no branch,
 *   call or system call before the last.
 * - Every loop has an instruction at its head, and its runs have their stated length.
 * - Sums are possible: no key exceeds the total; ranges add up to all instructions.
 * - In an exact profile, flow is conserved: as many ranges start at a place as edges arrive there,
 *   and as many edges leave as ranges end at a branch or a cut. Returns are recorded where they
 *   arrive, so a range that ends in one has no edge. Where control leaves the recording (a system
 *   call that does not return, an instruction that must run in place, a trap, the end of the run)
 *   departures are missing and counted as open. Flow is not checked if counters were read while
 *   the program ran, if only a part was kept, or if the profile was carried or imported.
 * - In a plain profile, stacks go through calls and weigh what the totals say: verify_plain.h.
 *
 * Records of modules without a binary are skipped and counted; so are those that contradict the
 * binary, if the program made its code writable (loss `patched`). */
#pragma once

#include "analysis/verify/verification.h"

struct scene;

/* The scene has one side. */
void verify_profile(struct verification *verdict, struct scene *scene);

/* Checks a profile against itself and against its binaries.
 *
 * - Every edge is one that the instruction at its start can make, and leads to an instruction.
 * - Every range decodes from start to last, in as many instructions as it says, with no branch,
 * call or system call before the last.
 * - Every loop has an instruction at its head, and its runs are as long as they say.
 * - Sums are possible: no key has more than all; ranges add up to all instructions.
 * - In an exact profile, flow is conserved: as often as control arrives at a place, a run starts
 *   there; as often as a run ends at a branch or a cut, an edge leaves it. Returns are recorded
 * where they arrive, so what ends at one has no edge. Where control leaves what is recorded (a
 * system call that does not come back, an instruction that must run where it stands, a trap, the
 * end of the run) departures are missing: these are counted apart, as open. A recording that was
 * not closed had its counters read while the program ran, each at its own moment: flow is not asked
 * of it, nor of one that kept a part of what ran, or was carried over from another build, or of
 * what other tools counted.
 *
 * - In a plain profile, stacks go through calls and weigh what the totals say: verify_plain.h.
 *
 * Records of modules without a binary are counted as skipped. */
#pragma once

#include "analysis/verify/verification.h"

struct scene;

/* The scene has one side. */
void verify_profile(struct verification *verdict, struct scene *scene);

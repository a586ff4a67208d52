/* A name of the agent's library that LD_PRELOAD can hold.
 *
 * LD_PRELOAD separates by spaces and colons, expands dollar signs, and has no way to quote any of
 * them. A library whose path has one is reached through a link of ours,
 * /tmp/gait-UID-HASH/libgait.so. It is left behind on purpose: programs outlive gait, and what they
 * start is told to preload it, too. Where no such link can be had or trusted the name is one of a
 * descriptor of ours, which ends when gait does. */
#pragma once

struct arena;

const char *preload_name(struct arena *arena, const char *library);

/* A name of the agent's library for LD_PRELOAD.
 *
 * LD_PRELOAD separates by spaces and colons, expands dollar signs, and cannot quote any of them. If
 * the library's path has one, gait uses a link, /tmp/gait-UID-HASH/libgait.so. The link is left
 * there on purpose: programs outlive gait, and their children preload the library, too. If no such
 * link can be made or trusted, the name is that of a descriptor of gait's, which ends with gait. */
#pragma once

struct arena;

const char *preload_name(struct arena *arena, const char *library);

/* Finds CPython among the mapped files of a process, for an agent that could not ask the loader:
 * one that was injected, or that began before the program loaded its Python. */
#pragma once

struct channel;
struct mappings;
struct wire_map;

/* The mapping is among the mappings already. */
void python_seek(struct channel *channel, struct mappings *mappings, const struct wire_map *map,
                 const char *path);

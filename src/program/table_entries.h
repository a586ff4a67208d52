/* The entries of a jump table: how many there are, and where they lead. */
#pragma once

#include "program/jump_tables.h"

struct jump_search;
struct table_load;

/* Of the table that the jump's target was loaded from. jump->base and jump->tail are known; all else of
 * the jump is set, and its targets are appended to those of the search. */
enum cfg_reason table_resolve(const struct jump_search *search, struct jump *jump,
                              const struct table_load *load);

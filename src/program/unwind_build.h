/* The table of any entries, wherever they were read. */
#pragma once

#include "wire/address.h"

struct unwind;
struct unwind_entries;

/* Sorts the entries. No entry below the base is used. */
void unwind_build_entries(struct unwind *unwind, struct unwind_entries *entries, struct svma base);

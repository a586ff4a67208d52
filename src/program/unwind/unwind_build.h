/* Builds the table from entries and from rules derived from code. */
#pragma once

#include "wire/address.h"

struct deriveds;
struct unwind;
struct unwind_entries;

/* Sorts the entries. Entries below the base are ignored. */
void unwind_build_entries(struct unwind *unwind, struct unwind_entries *entries, struct svma base);

/* Fills rows that have no rule. Nothing in deriveds may be below the base. */
void unwind_add_derived(struct unwind *unwind, const struct deriveds *deriveds);

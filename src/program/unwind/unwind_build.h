/* The table of any entries, wherever they were read, and of what reading code has told. */
#pragma once

#include "wire/address.h"

struct deriveds;
struct unwind;
struct unwind_entries;

/* Sorts the entries. No entry below the base is used. */
void unwind_build_entries(struct unwind *unwind, struct unwind_entries *entries, struct svma base);

/* Puts rules into rows that have none. Nothing below the base may be among them. */
void unwind_add_derived(struct unwind *unwind, const struct deriveds *deriveds);

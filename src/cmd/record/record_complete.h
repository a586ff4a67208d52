/* Options of record as they were typed -> what is to be done: which of them go together, and what
 * one of them implies for others.
 *
 * An option that would be without effect is refused, never passed over: whoever typed it believes
 * in it. */
#pragma once

#include <stdbool.h>

struct err;
struct record_command;

/* Called once, when all options are known. False: they contradict each other; options are then of
 * no use. */
bool record_complete(struct record_command *options, struct err *err);

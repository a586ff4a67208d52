/* Checks which options of record go together, and fills in what one implies for others.
 *
 * An option that would have no effect is an error, never ignored. */
#pragma once

#include <stdbool.h>

struct err;
struct record_command;

/* Call once, after all options are parsed. False: they contradict each other. */
bool record_complete(struct record_command *options, struct err *err);

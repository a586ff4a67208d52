/* What keeps a store of one machine small without anybody who manages it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Rolls up what is over for two hours (roll_up.h) and, if bytes_max is not 0, forgets the oldest
 * days. It does so in stores that are a file, and only there: a server has somebody who manages it,
 * and many senders, who may not. */
bool store_tidy(const char *store, uint64_t bytes_max, struct err *err);

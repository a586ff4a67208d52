/* What perf script prints of branch records (-F ip,brstack --show-mmap-events, with or without -g,
 * comm, pid, time and event) as the perf.data that it came from, as far as it says: mappings,
 * forks, and samples with their branches. import/perf_data.h reads that.
 *
 * Samples without a process id are all of one made-up process that has every mapping, as readers
 * of such text take them. Without mappings all branches are those of a program that the caller
 * names, at the addresses it was linked to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct import_bytes;

/* Of the first bytes of a file, with a zero behind them. */
bool brstack_is(const char *head);
/* text ends with a zero. ret_bad: lines with branches that could not be read to their end.
 * The caller releases the bytes. */
bool brstack_convert(struct import_bytes *ret_bytes, uint64_t *ret_bad, const char *text,
                     const char *binary, struct err *err);

/* Reads code of the program that another thread may unmap at any moment.
 *
 * The signal handler passes each fault to probe_fault. A fault inside one of these reads ends that
 * read; the process lives on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PROBE_LINE_BYTES = 64 };

/* Copies the program's bytes. False: they cannot be read. */
bool probe_read(uint8_t *to, uint64_t from, uint64_t bytes);
/* True if the program's bytes equal `ours`. Bytes that cannot be read do not. */
bool probe_same(uint64_t from, const uint8_t *ours, uint64_t bytes);
/* A checksum of an aligned line of PROBE_LINE_BYTES; never 0 if the line can be read, else 0. */
uint64_t probe_sum(uint64_t line);

/* True if the line that holds this address can be read. */
bool probe_readable(uint64_t at);

/* The pc at which a faulting read goes on; 0: the fault at this pc was not in one of them. */
uint64_t probe_fault(uint64_t pc);

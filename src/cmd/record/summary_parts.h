/* Parts of the summaries of all kinds of recordings. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rusage;
struct totals;

static inline double summary_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* 1234567 as 1,234,567. */
const char *summary_grouped(uint64_t n, char text[32]);
/* Says that a program ended, or only waited, before its first sample, and what to do. asked_hz: the
 * requested rate, or 0. */
void summary_too_short(const struct totals *totals, uint32_t asked_hz);
/* Faults, switches and memory, as the kernel counted them. */
void summary_usage(const struct rusage *usage);
/* verbose: those that nothing can be done about, too. */
void summary_losses(const struct totals *totals, bool verbose);
/* Says where the profile is, and what to type next: the command that shows it, with its options. */
void summary_file(const char *output, uint64_t bytes, const char *view);

/* How many stacks reached their start; and, with -v, how the others ended and what was guessed.
 * Counters are indexed as in collect/stacks/stack.h. */
void summary_stacks(const uint64_t *ends);
void summary_stacks_more(const uint64_t *ends, const uint64_t *fallbacks);

/* What the summaries of all kinds of recordings share. */
#pragma once

#include <stdint.h>

struct totals;

static inline double summary_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* 1234567 as 1,234,567. */
const char *summary_grouped(uint64_t n, char text[32]);
/* A program may end, or do nothing but wait, before its first sample: says so, and what to do. The
 * rate asked for, or 0. */
void summary_too_short(const struct totals *totals, uint32_t asked_hz);
void summary_losses(const struct totals *totals);
/* Where the profile is, and what to type next: the command that shows it, with its options. */
void summary_file(const char *output, uint64_t bytes, const char *view);

/* How many stacks were followed to their start; and, for who wants to know more, how the others
 * ended and what was guessed. Counters as collect/stacks/stack.h numbers them. */
void summary_stacks(const uint64_t *ends);
void summary_stacks_more(const uint64_t *ends, const uint64_t *fallbacks);

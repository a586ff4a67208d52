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
void summary_losses(const struct totals *totals);
/* Where the profile is, and what to type next. */
void summary_file(const char *output, uint64_t bytes);

/* The summary that `record` prints at its end: cost, results, losses, and what to type next. */
#pragma once

#include <stdbool.h>

struct plain_recording;
struct plain_options;
struct recording;
struct recording_options;

void summary_print(const struct recording_options *options, const struct recording *recording,
                   bool verbose);
/* Says why, and suggests the same command line with --plain. */
void summary_offer_plain(const struct recording_options *options, const char *why);
void summary_plain(const struct plain_options *options, const struct plain_recording *plain,
                   bool verbose);

/* The progress line on a terminal during a recording. */
#pragma once

struct plain_progress;
struct recording_rest;

void progress_print(const struct plain_progress *progress);
void progress_erase(void);
/* After the program has ended: how much work is left, a line now and then. */
void progress_rest(const struct recording_rest *rest);

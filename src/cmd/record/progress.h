/* The line on a terminal while a recording goes on. */
#pragma once

struct plain_progress;
struct recording_rest;

void progress_print(const struct plain_progress *progress);
void progress_erase(void);
/* What is left to do after the program has ended: a line now and then. */
void progress_rest(const struct recording_rest *rest);

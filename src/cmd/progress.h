/* The line on a terminal while a recording goes on. */
#pragma once

struct plain_progress;

void progress_print(const struct plain_progress *progress);
void progress_erase(void);

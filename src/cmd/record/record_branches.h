/* gait record --branches lbr: the processor's branch records instead of walks. */
#pragma once

struct record_command;

/* Returns the exit status of gait record. */
int record_branches(const struct record_command *options);

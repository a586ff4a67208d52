/* gait lab blocks: measured blocks of instructions against the model of a core. */
#pragma once

#include <stdbool.h>

#define LAB_BLOCKS_TITLE "measured blocks of instructions against the model of a core"

/* Reads one file and models its blocks on the named core. The exit status. */
int lab_blocks(int n, char **files, const char *core, bool json);

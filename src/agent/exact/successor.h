/* Whether the program that a process is about to become will be recorded, too: it must load the
 * agent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What execveat is given; execve: a folder of AT_FDCWD. Addresses are the program's, and may be bad
 * ones. True also where nobody knows: then the call fails, or an interpreter is started. */
bool successor_follows(int folder, uint64_t path, uint64_t environment);

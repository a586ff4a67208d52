/* Will the program that a process is about to execute load the agent? */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Arguments of execveat; for execve `folder` is AT_FDCWD. Addresses are the program's, and may be
 * bad. True also if unknown: then the call fails, or an interpreter is started. */
bool successor_follows(int folder, uint64_t path, uint64_t environment);

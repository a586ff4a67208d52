/* Names of system calls, and how many arguments they take. */
#pragma once

#include <stdint.h>

enum { SYSTEM_CALL_ARGUMENTS = 6 };

/* "write"; "" for numbers of no known call. */
const char *system_call_name(uint64_t number);
/* Of calls that are not known: SYSTEM_CALL_ARGUMENTS. */
uint32_t system_call_arguments(uint64_t number);

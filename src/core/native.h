/* Which of the cores that gait knows is most like the one that runs it, told by its vendor, family and model. */
#pragma once

#include <stddef.h>

/* Its name; `ret_why` gets a sentence of what was found and how near that is. */
const char *native_core(char *ret_why, size_t room);
/* The same of a processor that CPUID describes so. */
const char *native_core_of(const char *vendor, unsigned family, unsigned model,
                           const char **ret_how);

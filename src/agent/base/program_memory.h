/* Memory at an address that the program gave, which may be a bad one. Costs a system call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* False: a bad address. */
bool program_read(uint64_t from, void *to, uint64_t bytes);
bool program_write(uint64_t to, const void *from, uint64_t bytes);

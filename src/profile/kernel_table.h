/* All functions of the running kernel, read once: for who names its code again and again. Whoever
 * needs a few names once takes kernel_names.h, which keeps no table. */
#pragma once

#include "base/vec.h"

#include <stdint.h>

struct kernel_function {
    uint64_t start;
    uint32_t name; /* offset in the text */
};

struct kernel_table {
    VEC(struct kernel_function); /* by start */
    struct kernel_text {
        VEC(char);
    } text;
};

/* Empty if the file hides addresses (kernel.kptr_restrict). The file: /proc/kallsyms. */
void kernel_table_read(struct kernel_table *table, const char *path);
void kernel_table_release(struct kernel_table *table);
/* The name of the function that the address lies in; NULL: not known. */
const char *kernel_table_find(const struct kernel_table *table, uint64_t at, uint64_t *ret_start);
/* Where the function that starts there ends: at the next. UINT64_MAX: it is the last. */
uint64_t kernel_table_end(const struct kernel_table *table, uint64_t start);

/* DWARF expressions of unwind rules. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct unwind_frame;
struct unwind_memory;

enum expression_end { EXPRESSION_VALUE, EXPRESSION_NO_MEMORY, EXPRESSION_BAD };

/* Runs the expression; the result is the top of its stack. `first` (the CFA, for columns) is pushed
 * before, unless NULL. The number of steps is bounded. */
enum expression_end expression_run(const uint8_t *code, size_t n, const struct unwind_frame *frame,
                                   const struct unwind_memory *memory, const uint64_t *first,
                                   uint64_t *ret_value);

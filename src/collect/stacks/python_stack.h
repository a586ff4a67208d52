/* Python frames among those of machine code.
 *
 * A loop of the interpreter is one C function (_PyEval_EvalFrameDefault) that runs one or more
 * Python functions, one called by the other. They take its place on the stack: what the loop calls,
 * it calls for the innermost of them. Only where the loop itself was interrupted it stays, as
 * called by them. Where the loop's C frame lies, the frame that it began with says. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "keep/keep_python.h"
#include "wire/python.h"

#include <stdbool.h>

struct profile;
struct stack;
struct stack_sample;

/* Marks the address of a Python line among those of code; nothing else lies there. */
#define PYTHON_PC (UINT64_C(1) << 63)

struct python_code {
    uint32_t function; /* of struct python_functions */
    uint32_t first_line, lines_bytes;
    const uint8_t *lines; /* co_linetable */
};
/* Code objects of one process. */
struct python_codes {
    struct arena arena;
    struct map keys; /* struct python_code_key: index i is of at[i] */
    VEC(struct python_code);
};

void python_codes_init(struct python_codes *codes);
void python_codes_release(struct python_codes *codes);
/* False: the entry, of so many bytes, makes no sense. */
bool python_codes_add(struct python_codes *codes, struct python_functions *functions,
                      struct profile *profile, const struct event_python *event, uint32_t bytes);

/* The stack with the sample's Python frames in it. `ret_stack` is reused. Returns how many Python
 * frames have no name: their code was never sent. */
size_t python_stack_merge(struct stack *ret_stack, const struct stack *stack,
                          const struct stack_sample *sample, const struct python_codes *codes,
                          struct python_functions *functions);

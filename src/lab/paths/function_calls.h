/* The calls in the code of one function, by the block they are in. */
#pragma once

#include "base/vec.h"
#include "program/symbols/symbols.h"
#include "wire/address.h"

struct binary;

struct call_place {
    struct svma at, last; /* its first and last byte */
};

struct function_calls {
    VEC(struct call_place); /* by address */
    struct {
        VEC(struct call_place);
    } blocks; /* first and last instruction; by address */
};

/* Of a function whose binary is not there, or has no code of it: empty. */
void function_calls_find(struct function_calls *calls, struct binary *binary, function_id function);
void function_calls_release(struct function_calls *calls);
/* The calls from there to the end of the block: indices *ret_first up to the result. */
size_t function_calls_in_block(const struct function_calls *calls, struct svma start,
                               size_t *ret_first);
/* Whether one ends with this byte. */
bool function_calls_end_at(const struct function_calls *calls, struct svma last);

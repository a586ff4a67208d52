/* Instructions as flight.h needs them: registers read and written, latency, memory accesses. */
#pragma once

#include "values/flight.h"
#include "wire/address.h"

struct image;

struct flight_code {
    struct flight_step step; /* without accesses: recorded events say which there are */
    uint32_t length;
    bool stores; /* to memory, the stack included */
    /* Size of its memory operand, without the stack access of push, call and the like; 0: many, or
     * variable. */
    uint8_t operand_bytes;
};

/* The instruction at a linked address; false: none. */
bool flight_code_read(const struct image *image, struct svma at, struct flight_code *ret_code);

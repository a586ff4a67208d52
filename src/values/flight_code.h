/* Instructions as flight.h wants them: what registers they read and write, how long they take, what
 * they access in memory. */
#pragma once

#include "values/flight.h"
#include "wire/address.h"

struct image;

struct flight_code {
    struct flight_step step; /* without accesses: which there are is known by what was recorded */
    uint32_t length;
    bool stores; /* on the stack, too */
    /* Of its memory operand, what push, call and their like do on the stack aside; 0: many, or only
     * some of them. */
    uint8_t operand_bytes;
};

/* An instruction as linked; false: there is none. */
bool flight_code_read(const struct image *image, struct svma at, struct flight_code *ret_code);

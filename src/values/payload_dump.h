/* Events of windows as lines of text, for tests and for the curious:
 *
 *     window TID
 *     TID PC MODULE+0xADDRESS KIND DETAIL ACCESS WORD...
 *
 * All numbers except TID, DETAIL and ACCESS are hexadecimal. */
#pragma once

#include "values/payloads.h"

#include <stdio.h>

struct err;
struct profile;

struct payload_dump {
    struct payload_consumer consumer;
    const struct profile *profile;
    FILE *file; /* NULL: not open */
};

/* The file has mode 0600: values can hold secrets. */
bool payload_dump_open(struct payload_dump *dump, const char *path, const struct profile *profile,
                       struct err *err);
/* False: it could not be written completely. */
bool payload_dump_close(struct payload_dump *dump, const char *path, struct err *err);

/* Lines and inlined functions of functions that are kept. */
#pragma once

#include "base/map.h"
#include "keep/kept_function.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/lines.h"

struct binary;

struct line_gathering {
    struct binary *binary;
    const struct lines *lines;
    const struct inlines *inlines;
    struct inline_names names;
    struct map nodes; /* of the function being taken */
    bool too_long;    /* there are lines, but reading them would take too long */
};

/* False: there are none, or it would take longer than so many times a millisecond. 0: however long
 * it takes. */
bool line_gathering_open(struct line_gathering *gathering, struct binary *binary,
                         unsigned patience);
/* Fills in lines and inlined functions of the function's ranges. */
void line_gathering_take(struct line_gathering *gathering, struct kept_function *function);
void line_gathering_close(struct line_gathering *gathering);

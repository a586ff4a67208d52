#include "analysis/whatif/kind.h"

#include <string.h>

static const struct {
    const char *name, *text;
} kinds[WHATIF_KINDS] = {
    [WHATIF_BRANCH] = {"branch", "this branch were always predicted"},
    [WHATIF_LOAD] = {"load", "this load always hit the first-level cache"},
    [WHATIF_FORWARD] = {"forward", "this load always got its value from the store before it"},
    [WHATIF_DIVISION] = {"division", "this division were a multiplication"},
    [WHATIF_INLINE] = {"inline", "this call were inlined"},
    [WHATIF_UNROLL] = {"unroll", "this loop were unrolled four times"},
    [WHATIF_TRIPS] = {"trips", "this loop's number of turns were a constant"},
    [WHATIF_WIDER] = {"wider", "this loop used vectors of twice the width"},
    [WHATIF_LAYOUT] = {"layout", "this function's code lay in the order in which it runs"},
};

const char whatif_kind_words[] =
    "branch, load, forward, division, inline, unroll, trips, wider or layout";

const char *whatif_kind_name(enum whatif_kind kind)
{
    return kinds[kind].name;
}

const char *whatif_kind_text(enum whatif_kind kind)
{
    return kinds[kind].text;
}

bool whatif_kind_parse(const char *name, enum whatif_kind *ret_kind)
{
    for (int i = 0; i < WHATIF_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *ret_kind = (enum whatif_kind)i;
            return true;
        }
    return false;
}

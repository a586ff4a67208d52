/* One build of a function: its code, its graph and its lines. */
#pragma once

#include "program/cfg/cfg.h"

struct image;
struct lines;
struct symbols;

struct carry_side {
    const struct image *image;
    const struct symbols *symbols;
    const struct cfg *cfg;
    const struct lines *lines; /* NULL: none are known */
};

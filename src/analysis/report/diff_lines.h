/* Pairs the lines of a function in two builds.
 *
 * Line numbers move when something above is edited, and the sources of both builds are seldom
 * available. The code is: each line of a function has so many bytes of it. The lines of both
 * builds are aligned in order, so that as many lines as possible with similar amounts of code are
 * pairs. Lines that kept their distance from the first line come first. An added or removed line
 * has no partner. Lines of each file (inlined code comes from others) are aligned among
 * themselves. */
#pragma once

#include "program/binary.h"
#include "base/intern.h"

struct line_mass {
    uint32_t file; /* of the names that it was measured with; names without folder */
    uint32_t line;
    uint32_t bytes;
};
struct line_masses {
    VEC(struct line_mass); /* by file, line; none twice */
};

#define LINE_NONE UINT32_MAX

/* Adds the lines of the function. */
void line_masses_add(struct line_masses *masses, struct binary *binary, function_id function,
                     struct intern *files);
/* After all are added. */
void line_masses_sort(struct line_masses *masses);
uint32_t line_masses_find(const struct line_masses *masses, uint32_t file, uint32_t line);

/* For each of `after` the index of its partner in `before`, or LINE_NONE. The caller frees it. */
uint32_t *line_masses_align(const struct line_masses *before, const struct line_masses *after);

/* The name without its folder. */
const char *file_name(const char *path);

/* Text and JSON of a live recording (gait top). */
#pragma once

#include "analysis/live/live_rows.h"
#include "text/ink.h"

#include <stdio.h>

struct live_about {
    const char *subject; /* "all processes", "process 12", a command */
    const char *record;  /* what gait record is to be given, to see more of it */
    const char *refused; /* what the kernel does not grant; "": nothing */
    uint32_t cpus;
    uint32_t hz;        /* samples per CPU second */
    uint64_t sample_ns; /* what the kernel takes for one of them */
    bool all_cpus;      /* the cost is set against the time of all CPUs, not of what is watched */
    int columns;        /* of the terminal; 0: any */
    const struct ink *ink; /* NULL: none */
};

/* gait's own share of CPU time, its samples included; not a number: nothing ran. */
double live_cost(const struct live *live, const struct live_about *about);

/* Two or three lines: how much ran, how much was seen, what it costs. */
void live_head_text(FILE *to, const struct live *live, const struct live_about *about);
/* A line of heads, and a line for each row from `first` on, at most `limit`. */
void live_rows_text(FILE *to, const struct live *live, const struct live_rows *rows,
                    const struct live_query *query, const struct live_about *about, size_t first,
                    size_t limit);
/* "function", "process": as options and JSON have it. */
const char *live_by_name(enum live_by by);
/* One object, schema gait/top/1. */
void live_json(FILE *to, const struct live *live, const struct live_rows *rows,
               const struct live_query *query, const struct live_about *about, size_t limit);

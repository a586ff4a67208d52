/* A process of an exact run that has ended, for those who add up its counters. */
#pragma once

struct banks;
struct channel;
struct exact;
struct mappings;
struct profile;
struct units;

struct exact_process {
    const struct channel *channel;
    struct banks *banks;
    const struct units *units;
    const struct mappings *mappings;
    struct exact *exact;
    struct profile *profile;
    /* Reads units that were published since: a process that outlives the recording may publish
     * more. */
    void (*refresh)(const struct exact_process *process);
    void *closure; /* the refresh function's */
};

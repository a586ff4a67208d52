/* CPU time over the run: of each slice (profile/times.h), by thread and by function.
 *
 * A slice has the samples that were taken in it, each of which stands for the CPU time since the
 * one before it. So a slice can show a little more time than it is long. */
#pragma once

#include "analysis/counts/scene.h"
#include "profile/times.h"

struct err;

struct time_slice {
    uint64_t begin_ns, end_ns; /* since the start of the recording */
    double user, kernel;       /* seconds, or events */
};

struct time_thread {
    uint32_t pid, tid;
    const char *name;
    double *user, *kernel; /* of each slice */
    double all;
};

struct time_function {
    uint32_t module; /* of the scene; MODULE_NONE: of none */
    uint64_t start;
    const char *linkage;
    bool kernel;
    double *time; /* of each slice: in its own code */
    double all;
};

struct timeline {
    struct scene *scene;
    struct arena arena;
    bool events; /* figures are events, not seconds */
    struct time_slices {
        VEC(struct time_slice);
    } slices; /* those with samples, in order */
    struct time_threads {
        VEC(struct time_thread);
    } threads; /* most time first */
    struct time_functions {
        VEC(struct time_function);
    } functions; /* most time first */
};

/* Of the scene's first side; pid and tid: 0: all. Fails if the profile does not have when samples
 * were taken, or no such thread. */
bool timeline_make(struct timeline *timeline, struct scene *scene, uint32_t pid, uint32_t tid,
                   struct err *err);
void timeline_release(struct timeline *timeline);

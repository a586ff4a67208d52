/* What gait top watches: the whole machine, some processes, or a program that it starts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct plain_rate;

enum { TOP_PIDS_MAX = 4096 };

struct top_subject {
    bool all_cpus;
    int *pids; /* of the arena, once settled */
    size_t n_pids;
    const char *typed;  /* the list of -p; NULL: none */
    const char *text;   /* for people */
    const char *record; /* how gait record is asked for the same */
};

/* The list of -p. */
bool top_subject_pids(struct top_subject *subject, const char *text, struct err *err);
/* Whether what was asked for goes together. */
bool top_subject_check(const struct top_subject *subject, char *const *argv, struct err *err);
/* Decides what is watched, and how often it may be sampled. Without a wish it is the whole machine;
 * where that is not permitted, all processes of this user. */
bool top_subject_settle(struct top_subject *subject, char *const *argv, struct arena *arena,
                        uint32_t overhead_ppm, struct plain_rate *ret_rate, struct err *err);

/* Rows by processes, threads, CPUs, modules, source files, functions, lines, or by several of these
 * at once, of all CPU time.
 *
 * User and kernel time stand in one ranking, so that shares add up to all CPU time. The agent
 * samples user code, and the kernel samples itself at a rate of its own. So a share is computed
 * within each, and the two are weighed by the CPU time that the kernel counted for them.
 *
 * An exact profile has instructions instead: by module, file, function or line. */
#pragma once

#include "analysis/report/plain.h"
#include "profile/times.h"

struct err;

enum rank_key {
    RANK_PROCESS,
    RANK_THREAD,
    RANK_CPU, /* of profiles that profile_split_cpus has divided */
    RANK_MODULE,
    RANK_FILE,
    RANK_FUNCTION,
    RANK_PYTHON, /* the Python function that it is done for; lines and files are then Python's */
    RANK_LINE,
    RANK_KEYS
};

struct rank_keys {
    enum rank_key at[RANK_KEYS]; /* in the order of the columns */
    uint32_t n;
};

/* "process,function". False: a word is none of them, or comes twice. */
bool rank_keys_parse(const char *text, struct rank_keys *ret_keys);
const char *rank_key_name(enum rank_key key);
bool rank_keys_have(const struct rank_keys *keys, enum rank_key key);

struct rank_row {
    uint32_t pid, tid;
    uint32_t cpu;     /* SLICE_CPU_NONE: not known */
    uint32_t module;  /* of the scene; MODULE_NONE: of none */
    const char *name; /* of the function, as linked */
    uint64_t at;      /* of the function: its start, 0: not known */
    const char *file; /* NULL: not known */
    uint32_t line;
    /* Of samples: user, kernel: with it innermost; below: anywhere on the stack, once. */
    struct groups user, kernel, user_below, kernel_below;
    /* As the kernel counted it, ns: rows of threads and processes; and of a kernel that nobody
     * sampled. */
    bool counted;
    bool rest; /* of processes or threads: what no row of theirs has */
    uint64_t user_ns, kernel_ns, off_ns;
    struct quantity body; /* exact: what ran */
    double weight, below; /* what rows are sorted by: of its own, and with all that it called */
};

struct ranking {
    struct scene *scene;
    struct rank_keys keys;
    const char *input;
    struct plain plain; /* of user time; not there if the profile is exact */
    bool exact;
    bool counted;        /* all rows are */
    double user, kernel; /* of all that is kept: seconds, or events */
    VEC(struct rank_row);
};

struct rank_filter {
    uint32_t pid, tid; /* 0: all */
    const char *input;
};

/* Fails on what this kind of profile cannot say, and if filters leave nothing. */
bool ranking_make(struct ranking *ranking, struct scene *scene, struct rank_keys keys,
                  struct rank_filter filter, struct err *err);
void ranking_release(struct ranking *ranking);

/* Of all CPU time, or of all instructions. */
struct estimate ranking_share(const struct ranking *ranking, const struct rank_row *row);
/* The same with all that it called. Not a number where it says nothing: threads call nobody. */
struct estimate ranking_total_share(const struct ranking *ranking, const struct rank_row *row);
/* Seconds, or events. */
struct estimate ranking_user(const struct ranking *ranking, const struct rank_row *row);
struct estimate ranking_kernel(const struct ranking *ranking, const struct rank_row *row);
struct estimate ranking_total(const struct ranking *ranking, const struct rank_row *row);

/* threads_name, or "". */
const char *rank_thread_name(const struct profile *profile, uint32_t pid, uint32_t tid);

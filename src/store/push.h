/* Recordings on their way into a store. */
#pragma once

#include "profile/kernel_table.h"
#include "store/code.h"
#include "store/origin.h"
#include "store/store.h"

struct push_options {
    const char *machine, *service; /* NULL: as the recording says */
    bool values;                   /* keep values and data addresses, which may be secret */
    bool compact;                  /* leave out what roll-ups lose, but for machine and threads */
    bool unfinished;               /* take recordings that were not closed, too */
    uint64_t named_ns; /* Unix time at which the sender says it began; 0: as the recording says */
};

struct push_sums {
    uint64_t sent, same; /* stored, and stored before */
    uint64_t bytes;      /* of the bodies */
};

struct push {
    struct store *store;
    struct push_options options;
    struct code_known known;
    struct kernel_table kernel;
    bool begun;  /* a transaction is open */
    int64_t day; /* there is room for it in the store (sql_day); -1: none yet */
    struct push_sums sums, committed;
    char warning[256]; /* of the last file; "" if there is none */
};

void push_init(struct push *push, struct store *store, const struct push_options *options);
/* Adds a file. It is stored when push_commit has returned true, and not before. */
bool push_file(struct push *push, const char *path, struct err *err);
bool push_commit(struct push *push, struct err *err);
/* Forgets what is not committed. */
void push_undo(struct push *push);

/* Adds one of several; `to` is the caller's. */
typedef bool push_add(struct push *push, void *to, size_t i, struct err *err);
/* Adds and commits n at once. If other senders are in the way (two that send the code of the same
 * modules in another order wait for each other, until the server ends one of them), one by one.
 * What was added before a failure may be stored. */
bool push_together(struct push *push, size_t n, push_add *add, void *to, struct err *err);
/* What is not committed is lost. */
void push_release(struct push *push);

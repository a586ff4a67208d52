/* Recordings that wait on disk until the store has them.
 *
 * A recording is written as NAME.part, and renamed when its recorder has ended. Several are added
 * up (spool_gather.h) before they are sent. What was sent is removed when the store has committed
 * it. So whatever is killed, and whenever, a recording that was finished is there or in the store;
 * one that is in both is stored once. */
#pragma once

#include "store/push.h"

struct spool_build {
    const char *service, *build;
};

struct spool {
    struct arena arena;
    const char *folder;
    uint64_t bytes_max;
    int lock;           /* descriptor: nobody else has this spool */
    uint64_t dropped;   /* oldest recordings that did not fit; kept in the folder, too */
    uint64_t gather_ns; /* of how long recordings become one; 0: each is sent as it is */
    bool compact;       /* what they lose then (store/blur.h) */
    uint64_t agent_ns;  /* CPU time that agents used in recorded programs */
    uint64_t mended;    /* times of files that a wrong clock had set */
    /* Told of a service's first build, and of each other that was started; NULL: nobody. */
    void (*build_new)(const char *service, const char *before, const char *build);
    struct spool_builds {
        VEC(struct spool_build);
    } builds;
};

/* Makes the folder, if need be, and takes away what was never finished. Refuses one that others can
 * write, or that another process uses. */
bool spool_open(const char *folder, uint64_t bytes_max, struct spool *ret_spool, struct err *err);
void spool_close(struct spool *spool);

/* Where the next recording is to be written. The arena's. */
char *spool_part(struct spool *spool, struct arena *arena, uint64_t now_ns, int pid,
                 const char *service);
/* It is finished: false if there is none. Drops the oldest while all are too large. `fresh`: of a
 * process that was never recorded, so that another build is one that was started, not one of two
 * that run side by side. */
bool spool_finish(struct spool *spool, const char *part, bool fresh);
/* Removes and counts it. */
void spool_drop(struct spool *spool, const char *path);

/* Sends what was gathered, the oldest first. Fails when the store cannot take it; what it took is
 * gone from the spool then, too. Recordings that cannot be read are dropped. */
bool spool_send(struct spool *spool, const char *store, const struct push_options *options,
                struct push_sums *ret_sums, struct err *err);

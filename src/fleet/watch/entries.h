/* The files of a spool: TIME-PID-SERVICE and what state it is in. TIME is in ns since 1970, with
 * zeros before it, so that the oldest name is the first; the service has %XX for what file names
 * may not hold, and is empty if the recording says it itself. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>

#define ENTRY_PART ".part"     /* being written */
#define ENTRY_TEMPORARY ".tmp" /* being written by who puts whole files in place */
#define ENTRY_READY ".data"    /* a finished recording */
#define ENTRY_SUM ".sum"       /* to be sent: finished recordings as one */
#define ENTRY_LIST ".list"     /* of the recordings that the sum of the same name has */

struct entries {
    VEC(struct entry {
        char *path;
        uint64_t bytes;
    });
};

/* Adds those of a folder that end so; the oldest come first. Texts live in the arena. */
void entries_list(const char *folder, struct arena *arena, const char *suffix,
                  struct entries *entries);
char *entry_path(struct arena *arena, const char *folder, uint64_t time_ns, int pid,
                 const char *service, const char *suffix);
uint64_t entry_time_ns(const char *path);
int entry_pid(const char *path);
/* NULL: none. */
char *entry_service(struct arena *arena, const char *path);
/* The same name with another suffix. */
char *entry_as(struct arena *arena, const char *path, const char *suffix);
/* Until it is on disk: a file, or which names a folder has. */
void entry_sync(const char *path);

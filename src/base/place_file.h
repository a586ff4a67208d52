/* Replaces a file atomically: it is written beside the old one and renamed. Readers see the old
 * content or the new, never a part. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

enum place_flags {
    PLACE_KEEP_OLD = 1, /* the old file becomes PATH.old */
    PLACE_DURABLE = 2,  /* on disk before the rename: a crash of the machine cannot lose both */
};

/* Whether the path is a device or a pipe, which must be written into as it is. */
bool place_is_special(const char *path);
/* Opens it for writing; -1 with errno. Refuses a pipe without a reader instead of waiting. */
int place_open_special(const char *path);

/* ret_fd, if not NULL, gets a descriptor to append to the file. On failure the old file stays. New
 * files have mode 0600. */
bool place_file(const char *path, const void *bytes, size_t n, unsigned flags, int *ret_fd,
                struct err *err);

bool place_write(int fd, const void *bytes, size_t n, const char *path, struct err *err);

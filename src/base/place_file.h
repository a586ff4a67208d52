/* Putting a file in its place: written beside it first, then renamed, so that whoever looks sees
 * the old content or the new, never a part. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

enum place_flags {
    PLACE_KEEP_OLD = 1, /* what is there becomes PATH.old */
    PLACE_DURABLE = 2,  /* on disk before the rename: a crash of the machine cannot lose both */
};

/* Is there something at the path that must be written into as it is: a device, a pipe? */
bool place_is_special(const char *path);
/* Opens it to write; -1 with errno. A pipe that nobody reads is refused instead of waited for. */
int place_open_special(const char *path);

/* ret_fd, if wanted, gets a descriptor to write on behind the bytes. On failure what was there
 * stays. Files are created with mode 0600. */
bool place_file(const char *path, const void *bytes, size_t n, unsigned flags, int *ret_fd,
                struct err *err);

bool place_write(int fd, const void *bytes, size_t n, const char *path, struct err *err);

#include "collect/target/preload.h"

#include "base/memory.h"
#include "base/crc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ours, and nobody else may put anything into it: /tmp is everybody's. */
static bool folder_ready(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0755) && errno != EEXIST)
        return false;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static bool link_ready(const char *link, const char *library)
{
    char target[PATH_MAX];
    if (symlink(library, link) && errno != EEXIST)
        return false;
    ssize_t length = readlink(link, target, sizeof target);
    return length >= 0 && (size_t)length == strlen(library) &&
           memcmp(target, library, (size_t)length) == 0;
}

const char *preload_name(struct arena *arena, const char *library)
{
    if (!strpbrk(library, " :;$\t\n"))
        return library;
    const char *folder = arena_format(arena, "/tmp/gait-%u-%08x", (unsigned)geteuid(),
                                      crc32c(0, library, strlen(library)));
    const char *link = arena_format(arena, "%s/libgait.so", folder);
    if (folder_ready(folder) && link_ready(link, library))
        return link;
    int fd = open(library, O_PATH | O_CLOEXEC);
    return fd < 0 ? library : arena_format(arena, "/proc/%d/fd/%d", (int)getpid(), fd);
}

#include "base/place_file.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool place_is_special(const char *path)
{
    struct stat stat_of;
    return stat(path, &stat_of) == 0 && !S_ISREG(stat_of.st_mode);
}

int place_open_special(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

bool place_write(int fd, const void *bytes, size_t n, const char *path, struct err *err)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, (const char *)bytes + done, n - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return err_errno(err, "cannot write %s", path);
        done += (size_t)put;
    }
    return true;
}

static bool name_beside(char name[PATH_MAX], const char *path, const char *suffix, struct err *err)
{
    int n = snprintf(name, PATH_MAX, "%s%s", path, suffix);
    if (n < 0 || n >= PATH_MAX)
        return err_set(err, ERR_SYSTEM, "%s: the name is too long", path);
    return true;
}

/* A hard link first, so that the path is never without a file; where the file system has none, a
 * rename must do. */
static bool keep_old(const char *path, struct err *err)
{
    char old[PATH_MAX];
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return true;
    if (!name_beside(old, path, ".old", err))
        return false;
    if (unlink(old) < 0 && errno != ENOENT)
        return err_errno(err, "cannot replace %s", old);
    if (link(path, old) < 0 && rename(path, old) < 0)
        return err_errno(err, "cannot move %s to %s", path, old);
    return true;
}

static bool fill(int fd, const void *bytes, size_t n, unsigned flags, const char *path,
                 struct err *err)
{
    if (!place_write(fd, bytes, n, path, err))
        return false;
    if (flags & PLACE_DURABLE && fsync(fd) < 0)
        return err_errno(err, "cannot write %s", path);
    return true;
}

static bool rename_into(const char *temporary, const char *path, unsigned flags, struct err *err)
{
    if (flags & PLACE_KEEP_OLD && !keep_old(path, err))
        return false;
    if (rename(temporary, path) < 0)
        return err_errno(err, "cannot rename %s to %s", temporary, path);
    return true;
}

bool place_file(const char *path, const void *bytes, size_t n, unsigned flags, int *ret_fd,
                struct err *err)
{
    /* Its own name per process: two that write one path must not share a half-written file. */
    char temporary[PATH_MAX], suffix[32];
    snprintf(suffix, sizeof suffix, ".%d.tmp", (int)getpid());
    if (!name_beside(temporary, path, suffix, err))
        return false;
    unlink(temporary);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, "cannot create %s", path);
    if (!fill(fd, bytes, n, flags, path, err) || !rename_into(temporary, path, flags, err)) {
        close(fd);
        unlink(temporary);
        return false;
    }
    if (ret_fd)
        *ret_fd = fd;
    else
        close(fd);
    return true;
}

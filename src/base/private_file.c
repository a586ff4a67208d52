#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int private_file_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &status))
        return fd;
    /* Pipes and terminals are whoever's they are. */
    if (!S_ISREG(status.st_mode) || !(status.st_mode & 077) || fchmod(fd, 0600) == 0)
        return fd;
    close(fd);
    return -1;
}

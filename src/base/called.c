#include "base/called.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *called_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool called_file(int pid, char *ret_path, size_t room)
{
    static const char mark[] = " (deleted)";
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, ret_path, room - 1);
    ret_path[n > 0 ? n : 0] = 0;
    size_t cut = (size_t)(n > 0 ? n : 0) - (sizeof mark - 1);
    if (n >= (ssize_t)sizeof mark && strcmp(ret_path + cut, mark) == 0)
        ret_path[cut] = 0;
    return n > 0;
}

bool called_so(int pid, const char *file, const char *name)
{
    char called[2 * PATH_MAX], exe[64], link[256];
    struct stat status, other;
    int folder = (int)(called_name(file) - file);
    if (!*name || strchr(name, '/'))
        return false;
    snprintf(called, sizeof called, "/proc/%d/root%.*s%s", pid, folder, file, name);
    snprintf(exe, sizeof exe, "/proc/%d/exe", pid);
    if (stat(exe, &status) == 0 && stat(called, &other) == 0 && status.st_ino == other.st_ino &&
        status.st_dev == other.st_dev)
        return true;
    /* Of a program that was replaced since it was started only the link is left. */
    ssize_t n = readlink(called, link, sizeof link - 1);
    link[n > 0 ? n : 0] = 0;
    return n > 0 && strcmp(link, called_name(file)) == 0;
}

/* Scope cleanup, so that no error path can leak: AUTO(fd_close) int fd = open(...). */
#pragma once

#include <unistd.h>

#define AUTO(function) __attribute__((cleanup(function)))

static inline void fd_close(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

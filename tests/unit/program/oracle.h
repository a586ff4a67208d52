/* Reads the lines of another program's answer. Tests that have no oracle say so and are skipped. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

__attribute__((format(printf, 1, 2))) static inline FILE *oracle_open(const char *format, ...)
{
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return popen(command, "r");
}

__attribute__((format(printf, 1, 2))) static inline void oracle_run(const char *format, ...)
{
    char command[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (system(command) != 0) {
        fprintf(stderr, "failed: %s\n", command);
        abort();
    }
}

static inline void oracle_need(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    if (system(command) != 0) {
        printf("%s is not installed\n", program);
        exit(77);
    }
}

/* A folder of the test's own, removed by oracle_folder_remove. */
static inline char *oracle_folder(void)
{
    static char path[32];
    snprintf(path, sizeof path, "/tmp/gait-unit-XXXXXX");
    if (!mkdtemp(path))
        abort();
    return path;
}

static inline void oracle_folder_remove(const char *path)
{
    oracle_run("rm -rf '%s'", path);
}

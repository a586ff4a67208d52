#include "cmd/tools.h"

#include "base/err.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *package;
} packages[] = {
    {"llvm-bolt", "bolt-19"},
    {"clang", "clang"},
    {"clang++", "clang"},
    {"gcc", "gcc"},
    {"cc", "gcc"},
    {"g++", "g++"},
    {"c++", "g++"},
    {"ld.lld", "lld"},
    {"make", "make"},
    {"cmake", "cmake"},
    {"ninja", "ninja-build"},
    {"meson", "meson"},
    {"objcopy", "binutils"},
    {"ld", "binutils"},
    {"llvm-profdata", "llvm"},
};

static const char *package_of(const char *name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strcmp(packages[i].name, name) == 0)
            return packages[i].package;
    return NULL;
}

static const char *missing_text(struct arena *arena, const char *name, const char *package)
{
    return arena_format(arena, "%s is missing; Debian has it in the package %s", name, package);
}

/* "sh: 1: NAME: not found", "make: NAME: No such file or directory": the name, which is cut out of
 * the line; NULL: something else. */
static const char *name_not_found(char *line)
{
    char *end = strstr(line, ": not found");
    if (!end)
        end = strstr(line, ": command not found");
    if (!end && strncmp(line, "make", 4) == 0)
        end = strstr(line, ": No such file or directory");
    if (!end)
        return NULL;
    *end = 0;
    while (end > line && end[-1] != ' ' && end[-1] != '/')
        end--;
    return end;
}

const char *tool_missing(struct arena *arena, const char *log)
{
    const char *found = NULL;
    char line[4096];
    FILE *file = fopen(log, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *name = name_not_found(line);
        const char *package = name ? package_of(name) : NULL;
        if (package)
            found = missing_text(arena, name, package);
    }
    if (file)
        fclose(file);
    return found;
}

static const char *path_find(struct arena *arena, const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        const char *file = arena_format(arena, "%.*s/%s", (int)length, at, name);
        if (length && access(file, X_OK) == 0)
            return file;
        at += length + (at[length] == ':');
    }
    return NULL;
}

enum { LLVM_NEWEST = 30, LLVM_OLDEST = 14 };

const char *tool_find(struct arena *arena, const char *name, struct err *err)
{
    const char *file = path_find(arena, name);
    /* Not /usr/bin/NAME-VERSION: some look for their own files beside themselves. */
    for (int version = LLVM_NEWEST; !file && version >= LLVM_OLDEST; version--) {
        file = arena_format(arena, "/usr/lib/llvm-%d/bin/%s", version, name);
        if (access(file, X_OK) != 0)
            file = NULL;
    }
    const char *package = package_of(name);
    if (!file)
        err_set(err, ERR_MISSING, "%s", missing_text(arena, name, package ? package : name));
    return file;
}

uint32_t tool_version(const char *name)
{
    struct arena arena = {0};
    const char *file = path_find(&arena, name);
    FILE *from =
        file ? popen(arena_format(&arena, "'%s' -dumpversion 2>/dev/null", file), "re") : NULL;
    char line[32] = "";
    if (from && !fgets(line, sizeof line, from))
        line[0] = 0;
    if (from)
        pclose(from);
    arena_release(&arena);
    unsigned long version = strtoul(line, NULL, 10);
    return version < 1000 ? (uint32_t)version : 0;
}

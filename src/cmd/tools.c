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
    {"llvm-bolt", "bolt-19"}, {"clang", "clang"},        {"gcc", "gcc"},
    {"objcopy", "binutils"},  {"llvm-profdata", "llvm"},
};

static const char *package_of(const char *name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strcmp(packages[i].name, name) == 0)
            return packages[i].package;
    return name;
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
    if (!file)
        err_set(err, ERR_MISSING, "%s is missing; Debian has it in the package %s", name,
                package_of(name));
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

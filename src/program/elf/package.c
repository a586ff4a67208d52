#include "program/elf/package.h"

#include "base/memory.h"
#include "base/scope.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* dpkg keeps a list of the files of each package, one a line. */
#define LISTS "/var/lib/dpkg/info"

struct text {
    VEC(char);
};

static bool text_read(struct text *text, int folder, const char *name)
{
    AUTO(fd_close) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    text->n = 0;
    for (ssize_t got = 1; got > 0; text->n += got > 0 ? (size_t)got : 0) {
        vec_reserve(text, text->n + 65536);
        got = read(fd, text->at + text->n, text->room - text->n);
    }
    return true;
}

static bool has_line(const struct text *text, const char *line)
{
    size_t bytes = strlen(line);
    const char *end = text->at + text->n;
    for (const char *at = text->at; at && (at = memmem(at, (size_t)(end - at), line, bytes)); at++)
        if ((at == text->at || at[-1] == '\n') && at + bytes < end && at[bytes] == '\n')
            return true;
    return false;
}

const char *package_of(struct arena *arena, const char *path)
{
    char real[PATH_MAX];
    DIR *folder = realpath(path, real) ? opendir(LISTS) : NULL;
    if (!folder)
        return NULL;
    /* Packages may still name /lib what has moved to /usr/lib. */
    const char *old = strncmp(real, "/usr/", 5) == 0 ? real + 4 : real;
    struct text text = {0};
    const char *found = NULL;
    for (struct dirent *entry; !found && (entry = readdir(folder));) {
        size_t bytes = strlen(entry->d_name);
        if (bytes > 5 && strcmp(entry->d_name + bytes - 5, ".list") == 0 &&
            text_read(&text, dirfd(folder), entry->d_name) &&
            (has_line(&text, real) || has_line(&text, old)))
            found = arena_string_n(arena, entry->d_name, strcspn(entry->d_name, ":"));
    }
    closedir(folder);
    vec_release(&text);
    size_t length = found ? strlen(found) : 0;
    /* Packages of one architecture have it behind a colon; others end in ".list". */
    if (length > 5 && strcmp(found + length - 5, ".list") == 0)
        found = arena_string_n(arena, found, length - 5);
    return found;
}

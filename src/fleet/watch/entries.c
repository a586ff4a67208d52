#include "fleet/watch/entries.h"

#include "base/scope.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

static int entry_compare(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

void entries_list(const char *folder, struct arena *arena, const char *suffix,
                  struct entries *entries)
{
    DIR *opened = opendir(folder);
    struct stat stat_;
    for (struct dirent *found; opened && (found = readdir(opened));) {
        if (!ends(found->d_name, suffix))
            continue;
        char *path = arena_format(arena, "%s/%s", folder, found->d_name);
        if (stat(path, &stat_) == 0)
            *vec_push(entries) = (struct entry){path, (uint64_t)stat_.st_size};
    }
    if (opened)
        closedir(opened);
    if (entries->n)
        qsort(entries->at, entries->n, sizeof *entries->at, entry_compare);
}

char *entry_path(struct arena *arena, const char *folder, uint64_t time_ns, int pid,
                 const char *service, const char *suffix)
{
    enum { WORD_MAX = 200 }; /* a name has 255 bytes at most */
    char word[WORD_MAX + 4] = "", *to = word;
    for (const char *at = service ? service : ""; *at && to < word + WORD_MAX; at++)
        to += sprintf(to, isalnum((unsigned char)*at) || strchr("-_.", *at) ? "%c" : "%%%02x",
                      (unsigned char)*at);
    return arena_format(arena, "%s/%020llu-%d-%s%s", folder, (unsigned long long)time_ns, pid, word,
                        suffix);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

uint64_t entry_time_ns(const char *path)
{
    return strtoull(name_of(path), NULL, 10);
}

int entry_pid(const char *path)
{
    const char *dash = strchr(name_of(path), '-');
    return dash ? atoi(dash + 1) : 0;
}

char *entry_service(struct arena *arena, const char *path)
{
    const char *at = name_of(path), *end = strrchr(at, '.');
    for (int dashes = 0; at && dashes < 2; dashes++) {
        at = strchr(at, '-');
        at = at ? at + 1 : NULL;
    }
    if (!at || !end || end <= at) /* also: it is empty */
        return NULL;
    char *word = arena_string_n(arena, at, (size_t)(end - at)), *to = word;
    for (const char *from = word; *from; from++) {
        char digits[3] = {from[1], from[1] ? from[2] : 0, 0};
        bool escaped = *from == '%' && digits[1];
        *to++ = escaped ? (char)strtoul(digits, NULL, 16) : *from;
        from += escaped ? 2 : 0;
    }
    *to = 0;
    return word;
}

char *entry_as(struct arena *arena, const char *path, const char *suffix)
{
    const char *end = strrchr(name_of(path), '.');
    return arena_format(arena, "%.*s%s", end ? (int)(end - path) : (int)strlen(path), path, suffix);
}

void entry_sync(const char *path)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd);
}

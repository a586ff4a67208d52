#include "gcov/find.h"

#include "base/err.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_DEEP = 64 };

struct finding {
    struct file_list *paths;
    struct arena *arena;
    const char *ending;
};

bool path_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), e = strlen(ending);
    return n > e && strcmp(path + n - e, ending) == 0;
}

const char *path_with(struct arena *arena, const char *path, const char *ending,
                      const char *instead)
{
    ASSERT(path_ends_in(path, ending));
    return arena_format(arena, "%.*s%s", (int)(strlen(path) - strlen(ending)), path, instead);
}

static void folder_walk(const struct finding *finding, DIR *open, const char *folder, int deep)
{
    struct dirent *entry;
    while ((entry = readdir(open))) {
        struct stat stat;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const char *path = strcmp(folder, ".") == 0
                               ? arena_string(finding->arena, entry->d_name)
                               : arena_format(finding->arena, "%s/%s", folder, entry->d_name);
        if (entry->d_type != DT_DIR && path_ends_in(entry->d_name, finding->ending))
            *vec_push(finding->paths) = path;
        if (deep >= FOLDERS_DEEP || lstat(path, &stat) < 0 || !S_ISDIR(stat.st_mode))
            continue;
        DIR *inner = opendir(path);
        if (inner)
            folder_walk(finding, inner, path, deep + 1);
    }
    closedir(open);
}

static int path_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool file_list_find(struct file_list *paths, struct arena *arena, const char *where,
                    const char *ending, struct err *err)
{
    struct finding finding = {paths, arena, ending};
    struct stat at;
    if (stat(where, &at) < 0)
        return err_errno(err, "%s", where);
    if (!S_ISDIR(at.st_mode)) {
        *vec_push(paths) = arena_string(arena, where);
        return true;
    }
    DIR *open = opendir(where);
    if (!open)
        return err_errno(err, "%s", where);
    folder_walk(&finding, open, where, 0);
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, path_order);
    return true;
}

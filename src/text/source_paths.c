#include "text/source_paths.h"

#include <stdio.h>
#include <string.h>

void source_paths_begin(struct source_paths *paths)
{
    *paths = (struct source_paths){0};
}

/* Up to and with the last slash of the first `bytes`. */
static void folder_cut(char *path, size_t bytes)
{
    while (bytes && path[bytes - 1] != '/')
        bytes--;
    path[bytes] = 0;
}

void source_paths_add(struct source_paths *paths, const char *path)
{
    size_t same = 0;
    if (!paths->n++) {
        same = strnlen(path, sizeof paths->common - 1);
        memcpy(paths->common, path, same);
    } else {
        while (paths->common[same] && paths->common[same] == path[same])
            same++;
    }
    folder_cut(paths->common, same);
    if (strcmp(paths->common, "/") == 0)
        paths->common[0] = 0;
}

const char *path_short(const struct source_paths *paths, const char *path)
{
    enum { PARTS = 3 };
    static char buffers[2][512];
    static unsigned turn;
    size_t common = strlen(paths->common);
    if (common)
        return strncmp(path, paths->common, common) == 0 ? path + common : path;
    const char *at = path + strlen(path);
    int parts = 0;
    while (at > path && (at[-1] != '/' || ++parts < PARTS))
        at--;
    if (at <= path + 1)
        return path;
    char *text = buffers[turn++ % 2];
    snprintf(text, sizeof *buffers, ".../%s", at);
    return text;
}

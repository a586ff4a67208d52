/* Short forms of source paths, without the folder that all of them share. */
#pragma once

struct source_paths {
    char common[256]; /* "" or a folder with its slash, which all of them begin with */
    int n;
};

void source_paths_begin(struct source_paths *paths);
void source_paths_add(struct source_paths *paths, const char *path);

/* The path without the common folder; if there is none, its last three parts behind "...". Two
 * alternating buffers. */
const char *path_short(const struct source_paths *paths, const char *path);

/* Short forms of source paths: what all that are shown have in common is left out. */
#pragma once

struct paths {
    char common[256]; /* "" or a folder with its slash, which all of them begin with */
    int n;
};

void paths_begin(struct paths *paths);
void paths_add(struct paths *paths, const char *path);

/* The path without the common folder; if there is none, its last three parts behind "...". Two
 * alternating buffers. */
const char *path_short(const struct paths *paths, const char *path);

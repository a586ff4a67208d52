/* The Debian package that installed a file. */
#pragma once

struct arena;

/* NULL: no package, or not a Debian system. */
const char *package_of(struct arena *arena, const char *path);

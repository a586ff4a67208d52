/* Which of Debian's packages brought a file. */
#pragma once

struct arena;

/* NULL: none did, or this is not Debian. */
const char *package_of(struct arena *arena, const char *path);

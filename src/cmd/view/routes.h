/* What the page of `gait view` can ask: routes, each answered by a command's own --json. */
#pragma once

#include "serve/answer.h"

#include <stdbool.h>
#include <stdio.h>

/* The profiles that are looked at: one, or two that are compared. */
struct viewed {
    const char *paths[2];
    const char *warnings[2]; /* that a file is damaged; NULL: none */
    size_t n;
};

bool route_exists(const char *name);
/* An answer_function; data is a struct viewed, whose profiles were loaded and given to
 * profile_preload. */
int route_answer(void *data, const struct question *question);

/* Reaching libc's own functions from behind interposers of the same name. */
#pragma once

#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Finds libc's function, past us, and stores it in the pointer that `function` points at. Racing
 * first calls store the same value. */
static inline void libc_function(void *function, const char *name)
{
    void *found;
    memcpy(&found, function, sizeof found);
    if (found)
        return;
    found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

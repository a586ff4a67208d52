#include "base/phase.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct phase now; /* guarded by lock */

void phase_set(const char *what, const char *of)
{
    const char *slash = of ? strrchr(of, '/') : NULL;
    pthread_mutex_lock(&lock);
    now = (struct phase){0};
    snprintf(now.text, sizeof now.text, "%s%s%s", what, of ? " " : "",
             slash ? slash + 1
             : of  ? of
                   : "");
    pthread_mutex_unlock(&lock);
}

void phase_parts(uint64_t done, uint64_t all)
{
    pthread_mutex_lock(&lock);
    now.done = done;
    now.all = all;
    pthread_mutex_unlock(&lock);
}

void phase_get(struct phase *ret_phase)
{
    pthread_mutex_lock(&lock);
    *ret_phase = now;
    pthread_mutex_unlock(&lock);
}

#include "cmd/options/progress.h"

#include "base/clock.h"
#include "base/phase.h"
#include "cmd/cmd.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Shorter work shows nothing; what took long says so at its end. */
#define QUIET_NS UINT64_C(1000000000)
#define LONG_NS UINT64_C(5000000000)
#define TURN_NS UINT64_C(500000000)

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended;
    uint64_t began_ns;
    pid_t pid; /* a fork has no such thread */
    bool on, over, shown;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static int columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - 1 : 79;
}

/* Parts take as long as those before, about; of few nothing can be said. */
static void line_show(uint64_t passed_ns, uint64_t phase_ns)
{
    enum { FEW = 3 };
    struct phase phase;
    char text[PHASE_TEXT + 128], part[64] = "", left[48] = "";
    phase_get(&phase);
    if (!*phase.text)
        return;
    if (phase.all)
        snprintf(part, sizeof part, ", %" PRIu64 " of %" PRIu64, phase.done, phase.all);
    if (phase.all && phase.done >= FEW && phase.done <= phase.all)
        snprintf(
            left, sizeof left, ", about %.0f s left",
            ceil((double)phase_ns / 1e9 / (double)phase.done * (double)(phase.all - phase.done)));
    snprintf(text, sizeof text, "gait: %s%s: %.0f s%s; Ctrl-C stops", phase.text, part,
             (double)passed_ns / 1e9, left);
    fprintf(stderr, "\r\033[K%.*s", columns(), text);
    fflush(stderr);
    progress.shown = true;
}

static void *watch(void *none)
{
    char before[PHASE_TEXT] = "";
    uint64_t phase_ns = progress.began_ns, looked_ns = progress.began_ns;
    pthread_mutex_lock(&progress.lock);
    while (!progress.over) {
        struct timespec until;
        struct phase phase;
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        phase_get(&phase);
        if (strcmp(before, phase.text) != 0) {
            strcpy(before, phase.text);
            phase_ns = looked_ns; /* it may have begun at once, and some of it be done */
        }
        looked_ns = now;
        if (now - progress.began_ns > QUIET_NS)
            line_show(now - progress.began_ns, now - phase_ns);
        clock_gettime(CLOCK_REALTIME, &until);
        uint64_t at = (uint64_t)until.tv_nsec + TURN_NS;
        until.tv_sec += (time_t)(at / 1000000000);
        until.tv_nsec = (long)(at % 1000000000);
        pthread_cond_timedwait(&progress.ended, &progress.lock, &until);
    }
    pthread_mutex_unlock(&progress.lock);
    return none;
}

void progress_begin(void)
{
    if (progress.on || !isatty(STDERR_FILENO))
        return;
    progress.began_ns = clock_ns(CLOCK_MONOTONIC);
    progress.over = progress.shown = false;
    progress.pid = getpid();
    progress.on = pthread_create(&progress.thread, NULL, watch, NULL) == 0;
}

void progress_end(void)
{
    if (!progress.on || progress.pid != getpid())
        return;
    pthread_mutex_lock(&progress.lock);
    progress.over = true;
    pthread_cond_signal(&progress.ended);
    pthread_mutex_unlock(&progress.lock);
    progress.on = false;
    pthread_join(progress.thread, NULL);
    uint64_t took = clock_ns(CLOCK_MONOTONIC) - progress.began_ns;
    if (progress.shown)
        fputs("\r\033[K", stderr);
    if (progress.shown && took > LONG_NS)
        say("took %.1f s", (double)took / 1e9);
}

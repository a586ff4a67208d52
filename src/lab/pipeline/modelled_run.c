#include "lab/pipeline/modelled_run.h"

#include "base/err.h"
#include "collect/recording.h"
#include "model/core/model.h"
#include "model/replay/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listening {
    struct replay_audience audience; /* first: it is what the audience's calls are given */
    struct replay_watch replay_watch;
    const struct modelled_run *run;
    const struct modelled_watch *watch;
    struct replay *replay; /* whom it listens to; NULL: nobody yet, or not any more */
    bool begun;
    int32_t tid;
    uint64_t retired;
};

static void step_see(void *context, const struct pmu_step *step)
{
    struct listening *listening = context;
    listening->watch->see(listening->watch->context, step);
    if (step->aborted || ++listening->retired < listening->run->steps_most)
        return;
    kill(listening->tid, SIGKILL);
    listening->replay->n_listeners = 0; /* what is still on its way is not heard by anybody */
}

static void gap_see(void *context)
{
    const struct modelled_watch *watch = ((struct listening *)context)->watch;
    if (watch->gap)
        watch->gap(watch->context);
}

static void thread_begin(struct replay_audience *audience, struct replay *replay, int32_t tid)
{
    struct listening *listening = (struct listening *)audience;
    if (listening->begun)
        return;
    listening->begun = true;
    listening->replay = replay;
    listening->tid = tid;
    if (listening->watch->begin)
        listening->watch->begin(listening->watch->context, replay);
    listening->replay_watch =
        (struct replay_watch){.see = step_see, .gap = gap_see, .context = listening};
    replay_watch(&listening->replay_watch, replay);
}

static void thread_end(struct replay_audience *audience, struct replay *replay)
{
    struct listening *listening = (struct listening *)audience;
    if (listening->replay != replay)
        return;
    if (listening->watch->end)
        listening->watch->end(listening->watch->context, replay);
    listening->replay = NULL;
}

/* What the command prints is not what was asked for. */
static bool record_quietly(struct recording_options *options, struct recording *ret_recording,
                           struct err *err)
{
    fflush(stdout);
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (kept < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        return err_set(err, ERR_SYSTEM, "/dev/null: %s", strerror(errno));
    bool good = recording_run(options, ret_recording, err);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    return good;
}

static bool record(struct listening *listening, struct err *err)
{
    char folder[] = "/tmp/gait-lab-XXXXXX", output[sizeof folder + 8];
    struct recording recording;
    if (!mkdtemp(folder))
        return err_set(err, ERR_SYSTEM, "%s: %s", folder, strerror(errno));
    snprintf(output, sizeof output, "%s/data", folder);
    struct recording_options options = {
        .argv = listening->run->command,
        .command = listening->run->command[0],
        .output = output,
        .audience = &listening->audience,
        .record = {.mode = RECORD_EXACT_TRACE,
                   .events = EVENTS_EDGE | EVENTS_CALL | EVENTS_ADDRESS | EVENTS_VALUE}};
    bool good = record_quietly(&options, &recording, err);
    unlink(output);
    rmdir(folder);
    return good;
}

bool modelled_run_watch(const struct modelled_run *run, const struct modelled_watch *watch,
                        struct err *err)
{
    struct model model;
    if (!model_open(run->core, &model, err))
        return false;
    struct listening listening = {
        .audience = {&model, true, thread_begin, thread_end}, .run = run, .watch = watch};
    bool good = record(&listening, err);
    model_release(&model);
    if (good && !listening.retired)
        return err_set(err, ERR_MISSING, "%s: nothing of it was seen", run->command[0]);
    return good;
}

#include "collect/output/output.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/version.h"
#include "keep/gather.h"
#include "keep/gather_ahead.h"
#include "keep/sources.h"
#include "model/core/cpu.h"
#include "profile/file/file.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

void output_describe(struct profile *head, const char *command)
{
    struct utsname name;
    struct cpu here;
    char cpu[128];
    head->command = arena_string(&head->arena, command);
    head->start_unix_ns = clock_ns(CLOCK_REALTIME);
    profile_fact(head, "gait", GAIT_VERSION);
    cpu_here(&here);
    cpu_text(&here, cpu, sizeof cpu);
    profile_fact(head, "cpu", cpu);
    if (uname(&name) == 0) {
        profile_fact(head, "kernel", name.release);
        profile_fact(head, "host", name.nodename);
    }
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool output_open(struct output *output, const char *path, const struct profile *head,
                 const struct keep_wish *keep, struct err *err)
{
    *output = (struct output){.path = path, .existed = is_file(path), .keep = *keep};
    if (!profile_writer_open(path, head, &output->writer, err))
        return false;
    if (!keep->none)
        profile_writer_note_places(output->writer);
    return true;
}

void output_undo(struct output *output)
{
    char old[PATH_MAX + 8];
    profile_writer_abandon(output->writer);
    output->writer = NULL;
    if (!is_file(output->path))
        return;
    unlink(output->path);
    snprintf(old, sizeof old, "%s.old", output->path);
    if (output->existed)
        rename(old, output->path);
}

void output_append(struct output *output, struct profile *delta, bool last)
{
    struct err err;
    bool ok = last ? profile_writer_append_last(output->writer, delta, &err)
                   : profile_writer_append(output->writer, delta, &err);
    if (!ok && !*output->error)
        snprintf(output->error, sizeof output->error, "%s", err.text);
    profile_clear(delta);
}

uint64_t output_bytes(const struct output *output)
{
    struct stat status;
    return stat(output->path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void output_name_jit(struct output *output, struct profile *ret, enum jit_sources sources)
{
    const struct profile *profile;
    const struct places *places = profile_writer_places(output->writer, &profile);
    jit_places_name(ret, places, profile, sources);
}

/* Somebody waits for the end of a program: what takes long is left out, unless all was asked for.
 */
static struct gather_wish wish(const struct output *output, struct gather_wish patience)
{
    bool all = output->keep.all || output->keep.sources;
    if (all)
        patience.patience = patience.lines = 0, patience.cpu_ns = 0;
    patience.no_paths = output->keep.no_paths;
    return patience;
}

/* Ever more seldom: what a program has run so far changes less and less, and copying it is not
 * free. */
void output_look_ahead(struct output *output)
{
    /* Lines take some hundredths of the time so far, of a CPU that is idle. */
    /* Debug information of some 32 MB: what its lines take in the profile, and at the end, grows
     * with it. */
    enum { FIRST_NS = 100000000, LINES_NS = 10000000, LINES_MOST = 128 };
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const struct profile *profile;
    if (!output->ahead_due_ns)
        output->ahead_due_ns = now, output->began_ns = now - FIRST_NS;
    if (output->keep.none || now < output->ahead_due_ns)
        return;
    output->ahead_due_ns = now + (now - output->began_ns) / 2;
    const struct places *places = profile_writer_places(output->writer, &profile);
    if (!profile->modules.n)
        return;
    uint64_t lines = 1 + (now - output->began_ns) / LINES_NS;
    lines = lines < LINES_MOST ? lines : LINES_MOST;
    if (!output->ahead)
        output->ahead =
            gather_ahead_start(wish(output, (struct gather_wish){1, (unsigned)lines, false, 0}));
    if (output->ahead)
        gather_ahead_tell(output->ahead,
                          &(struct gather_news){profile, places,
                                                profile_writer_numbers(output->writer),
                                                output->cpu_ns, (unsigned)lines});
}

uint64_t output_ahead_ns(const struct output *output)
{
    return output->ahead ? gather_ahead_ns(output->ahead) : 0;
}

/* Columns make files smaller, but somebody waits for them, unless the file is written anew as a
 * whole: two CPUs have these in 4 ms. */
static uint64_t columns_ns(uint64_t cpu_ns, bool whole)
{
    enum { CPU_SHARE = 128, MOST_NS = 8000000 };
    uint64_t share = cpu_ns / CPU_SHARE;
    return whole || share < MOST_NS ? share : MOST_NS;
}

static void files_keep(struct output *output, struct gather_wish patience, bool whole)
{
    const struct profile *profile;
    const struct places *places = profile_writer_places(output->writer, &profile);
    struct keep_result gathered;
    struct kept_packs packs = {0};
    if (output->ahead)
        gather_ahead_stop(output->ahead);
    gather(&gathered, profile, places, wish(output, patience), output->ahead);
    if (output->ahead && !gathered.anew)
        gather_ahead_packs(output->ahead, &packs);
    output->without_lines = gathered.without_lines;
    output->left_out = gathered.left_out;
    if (output->keep.sources)
        sources_keep(&gathered.kept, &gathered.arena);
    bool all = output->keep.all || output->keep.sources;
    profile_writer_keep(output->writer, &gathered.kept, &gathered.arena, &packs,
                        all ? UINT64_MAX : columns_ns(output->cpu_ns, whole));
    keep_result_release(&gathered);
    if (output->ahead)
        gather_ahead_release(output->ahead);
    output->ahead = NULL;
}

uint64_t output_close(struct output *output, bool whole, struct gather_wish patience)
{
    struct err err;
    profile_writer_tell_rows(output->writer, output->rows);
    if (!output->keep.none)
        files_keep(output, patience, whole);
    if (!(whole ? profile_writer_close : profile_writer_end)(output->writer, &err))
        snprintf(output->error, sizeof output->error, "%s", err.text);
    else
        *output->error = 0; /* whatever failed before was written after all */
    output->writer = NULL;
    return output_bytes(output);
}

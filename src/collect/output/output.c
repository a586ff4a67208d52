#include "collect/output/output.h"

#include "base/clock.h"
#include "collect/output/jit_places.h"
#include "base/err.h"
#include "base/version.h"
#include "keep/gather.h"
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

void output_name_jit(struct output *output, struct profile *ret)
{
    const struct profile *profile;
    const struct places *places = profile_writer_places(output->writer, &profile);
    jit_places_name(ret, places, profile);
}

/* Somebody waits for the end of a program that was sampled: what takes long is left out. */
static void files_keep(struct output *output, bool quick)
{
    const struct profile *profile;
    const struct places *places = profile_writer_places(output->writer, &profile);
    struct keep_result gathered;
    gather(&gathered, profile, places, quick ? GATHER_QUICK : GATHER_ALL);
    output->without_lines = gathered.without_lines;
    if (output->keep.sources)
        sources_keep(&gathered.kept, &gathered.arena);
    profile_writer_keep(output->writer, &gathered.kept);
    keep_result_release(&gathered);
}

uint64_t output_close(struct output *output, bool whole, bool quick)
{
    struct err err;
    profile_writer_tell_rows(output->writer, output->rows);
    if (!output->keep.none)
        files_keep(output, quick && !output->keep.all && !output->keep.sources);
    if (!(whole ? profile_writer_close : profile_writer_end)(output->writer, &err))
        snprintf(output->error, sizeof output->error, "%s", err.text);
    else
        *output->error = 0; /* whatever failed before was written after all */
    output->writer = NULL;
    return output_bytes(output);
}

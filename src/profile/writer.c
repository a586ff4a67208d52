#include "profile/writer.h"

#include "base/err.h"
#include "profile/file.h"
#include "profile/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    SLACK_BYTES = 1 << 22,
    KEPT_BYTES_MAX = 1 << 22, /* of appends that failed */
};

bool profile_write(const char *path, const struct profile *profile, struct err *err)
{
    struct encoder encoder = {.zstd = ZSTD_createCCtx()};
    encode_whole(&encoder, profile, NULL);
    bool ok;
    if (place_is_special(path)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        ok = fd < 0 ? err_errno(err, "cannot open %s", path)
                    : place_write(fd, encoder.out.at, encoder.out.n, path, err);
        if (fd >= 0)
            close(fd);
    } else {
        ok = place_file(path, encoder.out.at, encoder.out.n, PLACE_KEEP_OLD | PLACE_DURABLE, NULL,
                        err);
    }
    ZSTD_freeCCtx(encoder.zstd);
    encoder_release(&encoder);
    return ok;
}

/* ---- whole files */

/* The file is what total is. The next rewrite is due when it is twice as large, so that the cost of
 * rewriting stays in proportion to what is appended. */
static void rewritten(struct profile_writer *writer, uint64_t size)
{
    writer->size = size;
    writer->rewrite_above = 2 * size + SLACK_BYTES;
    writer->facts_in_file = writer->total.facts.n;
    writer->encoder.out.n = 0;
    writer->behind = false;
    writer_numbers_forget(writer);
}

static bool open_special(struct profile_writer *writer, const struct bytes *out, struct err *err)
{
    writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
    if (writer->fd < 0)
        return err_errno(err, "cannot open %s", writer->path);
    return place_write(writer->fd, out->at, out->n, writer->path, err);
}

bool profile_writer_open(const char *path, const struct profile *head,
                         struct profile_writer **ret_writer, struct err *err)
{
    struct profile_writer *writer = mem_alloc(sizeof *writer);
    struct encoder encoder = {0};
    writer->fd = -1;
    profile_init(&writer->total);
    writer->total.mode = head->mode;
    profile_merge(&writer->total, head, err);
    writer->path = arena_string(&writer->total.arena, path);
    writer->special = place_is_special(path);
    encode_whole(&encoder, &writer->total, &writer->in_file);
    const struct bytes *out = &encoder.out;
    bool ok = writer->special ? open_special(writer, out, err)
                              : place_file(path, out->at, out->n, PLACE_KEEP_OLD, &writer->fd, err);
    if (ok) {
        rewritten(writer, out->n);
        *ret_writer = writer;
    } else {
        profile_writer_abandon(writer);
    }
    encoder_release(&encoder);
    return ok;
}

/* Somebody else's file at our path must not be written over; our own is then wherever it was moved
 * to, and goes on growing there. */
static bool path_is_ours(const struct profile_writer *writer, struct err *err)
{
    struct stat there, ours;
    if (writer->special || stat(writer->path, &there) < 0 || fstat(writer->fd, &ours) < 0)
        return true;
    if (there.st_dev == ours.st_dev && there.st_ino == ours.st_ino)
        return true;
    return err_set(err, ERR_SYSTEM, "%s was replaced during the recording", writer->path);
}

/* Until it has worked, what is to be appended is kept. */
static bool rewrite(struct profile_writer *writer, struct ZSTD_CCtx_s *zstd, struct err *err)
{
    struct encoder encoder = {.zstd = zstd};
    struct numbering in_file = {0};
    int fd;
    if (!path_is_ours(writer, err))
        return false;
    encode_whole(&encoder, &writer->total, &in_file);
    uint64_t size = encoder.out.n;
    bool ok = place_file(writer->path, encoder.out.at, encoder.out.n, PLACE_DURABLE, &fd, err);
    encoder_release(&encoder);
    if (!ok) {
        vec_release(&in_file);
        return false;
    }
    close(writer->fd);
    writer->fd = fd;
    vec_release(&writer->in_file);
    writer->in_file = in_file;
    rewritten(writer, size);
    return true;
}

/* ---- appends */

/* One write, so that a kill tears at most this append; what a full disk left of it is cut off, so
 * that later appends are not hidden behind it. */
static bool append_out(struct profile_writer *writer, struct err *err)
{
    struct bytes *out = &writer->encoder.out;
    if (place_write(writer->fd, out->at, out->n, writer->path, err)) {
        writer->size += out->n;
        out->n = 0;
        return true;
    }
    bool cut = !writer->special && ftruncate(writer->fd, (off_t)writer->size) == 0;
    writer->behind = !cut || out->n > KEPT_BYTES_MAX;
    return cut || writer->special ? false : err_in(err, "and it cannot be cut back");
}

void writer_modules(struct profile_writer *writer, const struct profile *delta,
                    struct numbering *in_total)
{
    struct profile *total = &writer->total;
    for (size_t i = in_total->n; i < delta->modules.n; i++) {
        const struct module *module = &delta->modules.at[i];
        *vec_push(in_total) =
            profile_module(total, module->path, module->build_id, module->build_id_bytes);
    }
    if (writer->in_file.n == total->modules.n)
        return;
    for (uint32_t i = (uint32_t)writer->in_file.n; i < total->modules.n; i++) {
        encode_module(&writer->encoder, &total->modules.at[i]);
        *vec_push(&writer->in_file) = i;
    }
    encode_modules_end(&writer->encoder);
}

/* Encodes a delta that total already has, with the file's module numbers. */
static void encode_delta(struct profile_writer *writer, const struct profile *delta)
{
    struct numbering numbering = {0};
    if (writer->total.facts.n > writer->facts_in_file)
        encode_facts(&writer->encoder, &writer->total);
    writer->facts_in_file = writer->total.facts.n;
    writer_modules(writer, delta, &numbering);
    for (size_t i = 0; i < numbering.n; i++)
        numbering.at[i] = writer->in_file.at[numbering.at[i]];
    encode_counts(&writer->encoder, delta, &numbering);
    vec_release(&numbering);
}

static bool catch_up(struct profile_writer *writer, struct err *err)
{
    writer->encoder.out.n = 0;
    if (writer->special)
        return err_set(err, ERR_SYSTEM, "%s: broken by an earlier failure", writer->path);
    return rewrite(writer, NULL, err);
}

bool profile_writer_append(struct profile_writer *writer, const struct profile *delta,
                           struct err *err)
{
    struct err ignored;
    if (!profile_merge(&writer->total, delta, err))
        return false;
    if (writer->behind)
        return catch_up(writer, err);
    encode_delta(writer, delta);
    if (!append_out(writer, err))
        return false;
    if (!writer->special && writer->size > writer->rewrite_above &&
        !rewrite(writer, NULL, &ignored))
        writer->rewrite_above = 2 * writer->size;
    return true;
}

void profile_writer_attach(struct profile_writer *writer, struct profile *delta)
{
    ASSERT(!writer->delta);
    writer->delta = delta;
    delta->writer = writer;
}

const struct profile *profile_writer_total(const struct profile_writer *writer)
{
    return &writer->total;
}

/* ---- the end */

/* A rewrite that fails for want of space need not cost the recording: END may fit behind what is
 * there. */
static bool finish(struct profile_writer *writer, struct ZSTD_CCtx_s *zstd, struct err *err)
{
    bool ours = path_is_ours(writer, err);
    writer->total.complete = true;
    if (!writer->special && ours && rewrite(writer, zstd, err))
        return true;
    if (writer->behind)
        return ours && catch_up(writer, err);
    encode_end(&writer->encoder);
    return append_out(writer, err) && ours;
}

bool profile_writer_close(struct profile_writer *writer, struct err *err)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    bool ok = finish(writer, zstd, err);
    ZSTD_freeCCtx(zstd);
    profile_writer_abandon(writer);
    return ok;
}

void profile_writer_abandon(struct profile_writer *writer)
{
    if (writer->delta)
        writer->delta->writer = NULL;
    if (writer->fd >= 0)
        close(writer->fd);
    encoder_release(&writer->encoder);
    vec_release(&writer->in_file);
    vec_release(&writer->in_total);
    vec_release(&writer->edges);
    vec_release(&writer->ranges);
    vec_release(&writer->points);
    profile_release(&writer->total);
    mem_free(writer);
}

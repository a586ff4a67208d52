#include "profile/file.h"

#include "base/err.h"
#include "profile/encode.h"
#include "profile/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { SLACK_BYTES = 1 << 20 };

struct profile_writer {
    char *path; /* in total.arena */
    int fd;
    bool special; /* no regular file: append only, nothing to rename */
    uint64_t size;
    uint64_t rewrite_above; /* file size */
    struct profile total;
    struct numbering in_file; /* of total's modules, those that are in the file */
    size_t facts_in_file;
    bool behind;         /* an append failed */
    struct profile owed; /* what the file lacks then */
    struct encoder encoder;
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

static void up_to_date(struct profile_writer *writer)
{
    writer->facts_in_file = writer->total.facts.n;
    profile_release(&writer->owed);
    writer->behind = false;
}

/* The next rewrite is due when the file is twice what it is now, so its cost stays in proportion to
 * what is appended. */
static void rewritten(struct profile_writer *writer, uint64_t size)
{
    writer->size = size;
    writer->rewrite_above = 2 * size + SLACK_BYTES;
    up_to_date(writer);
}

static bool open_special(struct profile_writer *writer, struct err *err)
{
    writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
    if (writer->fd < 0)
        return err_errno(err, "cannot open %s", writer->path);
    const struct bytes *out = &writer->encoder.out;
    return place_write(writer->fd, out->at, out->n, writer->path, err);
}

bool profile_writer_open(const char *path, const struct profile *head,
                         struct profile_writer **ret_writer, struct err *err)
{
    struct profile_writer *writer = mem_alloc(sizeof *writer);
    writer->fd = -1;
    profile_init(&writer->total);
    profile_init(&writer->owed);
    writer->total.mode = head->mode;
    profile_merge(&writer->total, head, err);
    writer->path = arena_string(&writer->total.arena, path);
    writer->special = place_is_special(path);
    encode_whole(&writer->encoder, &writer->total, &writer->in_file);
    const struct bytes *out = &writer->encoder.out;
    if (writer->special ? !open_special(writer, err)
                        : !place_file(path, out->at, out->n, PLACE_KEEP_OLD, &writer->fd, err)) {
        profile_writer_abandon(writer);
        return false;
    }
    rewritten(writer, out->n);
    *ret_writer = writer;
    return true;
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

static bool rewrite(struct profile_writer *writer, struct err *err)
{
    struct encoder *encoder = &writer->encoder;
    struct numbering in_file = {0};
    int fd;
    if (!path_is_ours(writer, err))
        return false;
    encoder->out.n = 0;
    encode_whole(encoder, &writer->total, &in_file);
    if (!place_file(writer->path, encoder->out.at, encoder->out.n, PLACE_DURABLE, &fd, err)) {
        vec_release(&in_file);
        return false;
    }
    close(writer->fd);
    writer->fd = fd;
    vec_release(&writer->in_file);
    writer->in_file = in_file;
    rewritten(writer, encoder->out.n);
    return true;
}

/* One write, so that a kill tears at most this append; what a full disk left of it is cut off, so
 * that later appends are not hidden behind it. */
static bool append_out(struct profile_writer *writer, struct err *err)
{
    const struct bytes *out = &writer->encoder.out;
    if (place_write(writer->fd, out->at, out->n, writer->path, err)) {
        writer->size += out->n;
        return true;
    }
    if (!writer->special && ftruncate(writer->fd, (off_t)writer->size) < 0)
        return err_in(err, "and it cannot be cut back");
    return false;
}

/* Encodes a delta that total already has, with the file's module numbers. */
static void encode_delta(struct profile_writer *writer, const struct profile *delta)
{
    struct encoder *encoder = &writer->encoder;
    struct profile *total = &writer->total;
    encoder->out.n = 0;
    if (total->facts.n > writer->facts_in_file)
        encode_facts(encoder, total);
    for (uint32_t i = (uint32_t)writer->in_file.n; i < total->modules.n; i++) {
        encode_module(encoder, &total->modules.at[i]);
        *vec_push(&writer->in_file) = i;
    }
    encode_modules_end(encoder);
    struct numbering in_file = {0};
    for (size_t i = 0; i < delta->modules.n; i++) {
        const struct module *module = &delta->modules.at[i];
        uint32_t in_total =
            profile_module(total, module->path, module->build_id, module->build_id_bytes);
        *vec_push(&in_file) = writer->in_file.at[in_total];
    }
    encode_counts(encoder, delta, &in_file);
    vec_release(&in_file);
}

static void owe(struct profile_writer *writer, const struct profile *delta)
{
    struct err none;
    writer->behind = true;
    writer->owed.mode = delta->mode;
    profile_merge(&writer->owed, delta, &none);
}

static bool append(struct profile_writer *writer, const struct profile *delta, struct err *err)
{
    size_t modules_in_file = writer->in_file.n;
    if (writer->behind)
        owe(writer, delta);
    encode_delta(writer, writer->behind ? &writer->owed : delta);
    if (append_out(writer, err)) {
        up_to_date(writer);
        return true;
    }
    writer->in_file.n = modules_in_file;
    if (!writer->behind)
        owe(writer, delta);
    return false;
}

bool profile_writer_append(struct profile_writer *writer, const struct profile *delta,
                           struct err *err)
{
    struct err ignored;
    if (writer->special && writer->behind)
        return err_set(err, ERR_SYSTEM, "%s: broken by an earlier failure", writer->path);
    if (!profile_merge(&writer->total, delta, err) || !append(writer, delta, err))
        return false;
    if (!writer->special && writer->size > writer->rewrite_above && !rewrite(writer, &ignored))
        writer->rewrite_above = 2 * writer->size;
    return true;
}

const struct profile *profile_writer_total(const struct profile_writer *writer)
{
    return &writer->total;
}

/* A rewrite that fails for want of space need not cost the recording: END may fit behind what is
 * there. */
static bool finish(struct profile_writer *writer, struct err *err)
{
    bool ours = path_is_ours(writer, err);
    writer->total.complete = true;
    writer->encoder.zstd = ZSTD_createCCtx();
    if (!writer->special && ours && rewrite(writer, err))
        return true;
    if (writer->special && writer->behind)
        return err_set(err, ERR_SYSTEM, "%s: broken by an earlier failure", writer->path);
    writer->encoder.out.n = 0;
    if (writer->behind)
        encode_delta(writer, &writer->owed);
    encode_end(&writer->encoder);
    return append_out(writer, err) && ours;
}

bool profile_writer_close(struct profile_writer *writer, struct err *err)
{
    bool ok = finish(writer, err);
    profile_writer_abandon(writer);
    return ok;
}

void profile_writer_abandon(struct profile_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    ZSTD_freeCCtx(writer->encoder.zstd);
    encoder_release(&writer->encoder);
    vec_release(&writer->in_file);
    profile_release(&writer->owed);
    profile_release(&writer->total);
    mem_free(writer);
}

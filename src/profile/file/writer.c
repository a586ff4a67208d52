#include "profile/file/writer.h"

#include "base/err.h"
#include "profile/file/file.h"
#include "profile/file/kept_chunk.h"
#include "base/place_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    SLACK_BYTES = 1 << 23,       /* a rewrite costs more than all appends since the last */
    UNREAD_BYTES_MAX = 1 << 23,  /* of out: that are not in total yet */
    RETRIED_BYTES_MAX = 1 << 22, /* of out: that could not be written */
};

bool profile_write(const char *path, const struct profile *profile, struct err *err)
{
    struct encoder encoder = {.zstd = ZSTD_createCCtx()};
    encode_whole(&encoder, profile, NULL);
    bool ok;
    if (strcmp(path, "-") == 0) {
        ok = isatty(STDOUT_FILENO)
                 ? err_set(err, ERR_USAGE, "-o -: a profile is no text; redirect standard output")
                 : place_write(STDOUT_FILENO, encoder.out.at, encoder.out.n, "stdout", err);
    } else if (place_is_special(path)) {
        int fd = place_open_special(path);
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

void profile_write_bytes(struct bytes *to, const struct profile *profile, bool compressed)
{
    struct encoder encoder = {.zstd = compressed ? ZSTD_createCCtx() : NULL};
    encode_whole(&encoder, profile, NULL);
    bytes_add(to, encoder.out.at, encoder.out.n);
    ZSTD_freeCCtx(encoder.zstd);
    encoder_release(&encoder);
}

/* ---- total */

/* Brings total up to date. Of encoder.out only what is still to be written is kept. */
static bool fold(struct profile_writer *writer, struct err *err)
{
    struct bytes *out = &writer->encoder.out;
    const struct chunk_source source = {.fd = -1, .memory = out->at, .size = out->n};
    struct chunk chunk = {.next = writer->folded};
    bool ok = true;
    while (ok && chunk.next < out->n)
        ok = chunk_read(&source, chunk.next, &chunk, err) == CHUNK_WHOLE &&
             decode_chunk(&writer->decoder, &chunk, err);
    chunk_release(&chunk);
    decoder_settle(&writer->decoder);
    size_t done = writer->behind ? out->n : writer->written;
    if (done < out->n)
        memmove(out->at, out->at + done, out->n - done);
    out->n -= done;
    writer->folded = out->n;
    writer->written = 0;
    return ok || err_in(err, "%s cannot be added up", writer->path);
}

const struct profile *profile_writer_total(struct profile_writer *writer)
{
    struct err ignored;
    fold(writer, &ignored);
    return &writer->total;
}

/* ---- whole files */

/* Else the memory for slices would grow with the run. */
static void times_make_coarse(struct stacks *times)
{
    struct stacks coarse;
    if (!times_coarsen(times, &coarse))
        return;
    stacks_release(times);
    *times = coarse;
}

/* Likewise. */
static void log_make_coarse(struct profile *profile)
{
    struct batch_log coarse;
    if (!batch_log_coarsen(&profile->log, &coarse))
        return;
    batch_log_release(&profile->log);
    profile->log = coarse;
}

/* The file is what total is, and nothing of it is numbered by batches. The next rewrite is due when
 * it is twice as large, so that the cost of rewriting stays in proportion to what is appended. */
static void rewritten(struct profile_writer *writer, uint64_t size)
{
    struct decoder *decoder = &writer->decoder;
    writer->size = size;
    writer->rewrite_above = 2 * size + SLACK_BYTES;
    writer->facts_in_file = writer->total.facts.n;
    writer->behind = writer->unwritten = false;
    writer->encoder.out.n = writer->folded = writer->written = 0;
    writer->delta_modules.n = 0;
    for (int i = 0; i < TABLES; i++)
        map_clear(&writer->keys[i]);
    writer->generation++;
    decoder_release(decoder);
    decoder_init(decoder, &writer->total);
    decoder->has_mode = true;
    vec_reserve(&decoder->in_profile, writer->in_file.n);
    decoder->in_profile.n = writer->in_file.n;
    for (uint32_t i = 0; i < writer->in_file.n; i++)
        decoder->in_profile.at[writer->in_file.at[i]] = i;
}

static bool open_special(struct profile_writer *writer, const struct bytes *out, struct err *err)
{
    writer->fd = place_open_special(writer->path);
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
    for (int i = 0; i < TABLES; i++)
        map_init(&writer->keys[i], profile_key_bytes((enum profile_table)i));
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

static bool rewrite(struct profile_writer *writer, struct ZSTD_CCtx_s *zstd, struct err *err)
{
    struct encoder encoder = {.zstd = zstd,
                              .hasty_code = writer->encoder.hasty_code,
                              .waited_for = writer->encoder.waited_for};
    struct numbering in_file = {0};
    int fd;
    if (!path_is_ours(writer, err) || !fold(writer, err))
        return false;
    times_make_coarse(&writer->total.times);
    times_make_coarse(&writer->total.wait_times);
    log_make_coarse(&writer->total);
    encode_whole(&encoder, &writer->total, &in_file);
    uint64_t size = encoder.out.n;
    bool ok = place_file(writer->path, encoder.out.at, encoder.out.n, PLACE_DURABLE, &fd, err);
    if (ok && writer->ret_rows)
        memcpy(writer->ret_rows, encoder.rows, sizeof encoder.rows);
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
    const struct bytes *out = &writer->encoder.out;
    size_t n = out->n - writer->written;
    if (place_write(writer->fd, out->at + writer->written, n, writer->path, err)) {
        writer->written = out->n;
        writer->size += n;
        return true;
    }
    bool cut = !writer->special && ftruncate(writer->fd, (off_t)writer->size) == 0;
    writer->behind = !cut || n > RETRIED_BYTES_MAX;
    return cut || writer->special ? false : err_in(err, "and it cannot be cut back");
}

void writer_modules(struct profile_writer *writer, const struct profile *delta,
                    struct numbering *ret_numbers)
{
    for (size_t i = ret_numbers->n; i < delta->modules.n; i++) {
        const struct module *module = &delta->modules.at[i];
        uint32_t index =
            profile_module(&writer->total, module->path, module->build_id, module->build_id_bytes);
        if (index == writer->in_file.n) {
            encode_module(&writer->encoder, module);
            *vec_push(&writer->in_file) = index;
        }
        *vec_push(ret_numbers) = writer->in_file.at[index];
    }
    encode_modules_end(&writer->encoder);
}

static void encode_delta(struct profile_writer *writer, const struct profile *delta)
{
    struct numbering modules = {0};
    for (size_t i = 0; i < delta->facts.n; i++)
        profile_fact(&writer->total, delta->facts.at[i].key, delta->facts.at[i].value);
    if (writer->total.facts.n > writer->facts_in_file)
        encode_facts(&writer->encoder, &writer->total);
    writer->facts_in_file = writer->total.facts.n;
    writer_modules(writer, delta, &modules);
    encode_counts(&writer->encoder, delta, &modules);
    vec_release(&modules);
}

/* ---- places */

void profile_writer_note_places(struct profile_writer *writer)
{
    writer->notes_places = true;
}

/* total's number of each of the delta's modules. */
static void total_modules(struct profile_writer *writer, const struct profile *delta,
                          struct numbering *ret_modules)
{
    for (size_t i = 0; i < delta->modules.n; i++) {
        const struct module *module = &delta->modules.at[i];
        *vec_push(ret_modules) =
            profile_module(&writer->total, module->path, module->build_id, module->build_id_bytes);
    }
}

static void places_note(struct profile_writer *writer, const struct profile *delta)
{
    struct numbering modules = {0};
    total_modules(writer, delta, &modules);
    places_mark_profile(&writer->places, delta, modules.at, true);
    vec_release(&modules);
}

const struct places *profile_writer_places(struct profile_writer *writer,
                                           const struct profile **ret_modules)
{
    struct numbering modules = {0};
    if (writer->delta)
        total_modules(writer, writer->delta, &modules);
    for (int i = 0; writer->delta && i < TABLES; i++)
        for (uint32_t k = 0; k < writer->keys[i].n; k++)
            places_mark_key(&writer->places, i, map_key(&writer->keys[i], k), modules.at);
    if (writer->delta)
        places_mark_profile(&writer->places, writer->delta, modules.at, false);
    modules.n = 0;
    for (uint32_t i = 0; i < writer->total.modules.n; i++)
        *vec_push(&modules) = i;
    places_mark_profile(&writer->places, &writer->total, modules.at, false);
    vec_release(&modules);
    *ret_modules = &writer->total;
    return &writer->places;
}

const struct numbering *profile_writer_numbers(const struct profile_writer *writer)
{
    return &writer->in_file;
}

void profile_writer_keep(struct profile_writer *writer, struct kept_parts *kept,
                         struct arena *arena, struct kept_packs *packs, uint64_t cpu_ns)
{
    uint64_t code = 0, columns = cpu_ns / KEPT_BYTE_NS;
    for (size_t i = 0; i < kept->n; i++)
        code += kept->at[i].packed ? 0 : kept->at[i].code_n;
    if (columns < code / 8) /* so few are not worth tables of their own */
        columns = 0;
    writer->encoder.waited_for = true;
    writer->encoder.hasty_code = columns < code ? code - columns : 0;
    if (packs) {
        writer->packs = *packs;
        *packs = (struct kept_packs){0};
    }
    kept_join(&writer->total.kept, &writer->total.arena, kept, arena);
    kept_sort(&writer->total.kept);
}

static bool catch_up(struct profile_writer *writer, struct err *err)
{
    if (!writer->special)
        return rewrite(writer, NULL, err);
    fold(writer, err);
    return err_set(err, ERR_SYSTEM, "%s: broken by an earlier failure", writer->path);
}

bool profile_writer_append(struct profile_writer *writer, const struct profile *delta,
                           struct err *err)
{
    struct err ignored;
    if (delta->mode != writer->total.mode)
        return err_set(err, ERR_FORMAT, "a %s profile cannot be appended to a %s one",
                       profile_mode_name(delta->mode), profile_mode_name(writer->total.mode));
    if (writer->notes_places)
        places_note(writer, delta);
    encode_delta(writer, delta);
    if (writer->behind)
        return catch_up(writer, err);
    if (!append_out(writer, err))
        return false;
    if (!writer->special && writer->size > writer->rewrite_above) {
        if (!rewrite(writer, NULL, &ignored))
            writer->rewrite_above = 2 * writer->size;
    } else if (writer->encoder.out.n > UNREAD_BYTES_MAX) {
        return fold(writer, err);
    }
    return true;
}

static bool holds_head_alone(const struct profile_writer *writer)
{
    const struct profile *total = &writer->total;
    for (int i = 0; i < TABLES; i++)
        if (total->tables[i].n)
            return false;
    if (total->loose.edges.n || total->loose.ranges.n)
        return false;
    return !writer->special && !writer->behind && !writer->encoder.out.n && !total->modules.n;
}

static void table_swap(struct table *a, struct table *b)
{
    struct table held = *a;
    *a = *b;
    *b = held;
}

bool profile_writer_append_last(struct profile_writer *writer, struct profile *delta,
                                struct err *err)
{
    struct profile *total = &writer->total;
    if (delta->mode != total->mode || !holds_head_alone(writer))
        return profile_writer_append(writer, delta, err);
    for (int i = 0; i < TABLES; i++) /* without modules both number theirs alike */
        table_swap(&total->tables[i], &delta->tables[i]);
    struct batch_log log = total->log;
    total->log = delta->log;
    delta->log = log;
    struct loose_rows loose = total->loose;
    total->loose = delta->loose;
    delta->loose = loose;
    writer->unwritten = true;
    return profile_merge(total, delta, err);
}

void profile_writer_attach(struct profile_writer *writer, struct profile *delta)
{
    ASSERT(!writer->delta);
    writer->delta = delta;
    writer->sink.take = profile_writer_batch;
    delta->sink = &writer->sink;
}

/* ---- the end */

/* Names and code are half as large when compressed, which other appends are not worth. */
static void append_kept(struct profile_writer *writer)
{
    const struct kept_parts *all = &writer->total.kept;
    bool packed = kept_packs_fit(&writer->packs, &writer->in_file);
    struct kept_parts left = {0};
    vec_room(&left, all->n + 1);
    for (size_t i = 0; i < all->n; i++)
        if (!packed || !all->at[i].packed)
            *vec_push(&left) = all->at[i];
    for (size_t i = 0; packed && i < writer->packs.n; i++) {
        const struct bytes *chunks = &writer->packs.at[i].chunks;
        bytes_add(&writer->encoder.out, chunks->at, chunks->n);
    }
    writer->encoder.zstd = ZSTD_createCCtx();
    encode_kept(&writer->encoder, &left, &writer->in_file);
    ZSTD_freeCCtx(writer->encoder.zstd);
    writer->encoder.zstd = NULL;
    vec_release(&left);
}

static bool append_end(struct profile_writer *writer, struct err *err)
{
    bool ours = path_is_ours(writer, err);
    writer->total.complete = true;
    if (writer->behind)
        return ours && catch_up(writer, err);
    struct kept_parts kept = writer->total.kept;
    writer->total.kept = (struct kept_parts){0};
    if (writer->unwritten)
        encode_delta(writer, &writer->total);
    writer->total.kept = kept;
    for (int i = 0; writer->ret_rows && i < TABLES; i++)
        writer->ret_rows[i] =
            writer->unwritten ? writer->encoder.rows[i] : writer->total.tables[i].n;
    append_kept(writer);
    encode_end(&writer->encoder);
    return append_out(writer, err) && ours;
}

/* A rewrite that fails for want of space need not cost the recording: END may fit behind what is
 * there. */
static bool finish(struct profile_writer *writer, struct ZSTD_CCtx_s *zstd, struct err *err)
{
    writer->total.complete = true;
    return (!writer->special && rewrite(writer, zstd, err)) || append_end(writer, err);
}

void profile_writer_tell_rows(struct profile_writer *writer, uint64_t ret_rows[TABLES])
{
    writer->ret_rows = ret_rows;
}

bool profile_writer_close(struct profile_writer *writer, struct err *err)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    bool ok = finish(writer, zstd, err);
    ZSTD_freeCCtx(zstd);
    profile_writer_abandon(writer);
    return ok;
}

bool profile_writer_end(struct profile_writer *writer, struct err *err)
{
    bool ok = append_end(writer, err);
    profile_writer_abandon(writer);
    return ok;
}

void profile_writer_abandon(struct profile_writer *writer)
{
    if (writer->delta)
        writer->delta->sink = NULL;
    if (writer->fd >= 0)
        close(writer->fd);
    encoder_release(&writer->encoder);
    decoder_release(&writer->decoder);
    vec_release(&writer->in_file);
    vec_release(&writer->delta_modules);
    places_release(&writer->places);
    kept_packs_release(&writer->packs);
    for (int i = 0; i < TABLES; i++)
        map_release(&writer->keys[i]);
    profile_release(&writer->total);
    mem_free(writer);
}

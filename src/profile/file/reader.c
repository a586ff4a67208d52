#include "profile/file/file.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/scope.h"
#include "profile/file/decode.h"
#include "profile/file/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How far a file can be used. */
struct extent {
    uint64_t first;  /* end of the first HEADER */
    uint64_t usable; /* end of the last whole append */
    uint64_t stop;   /* where looking ended */
    enum chunk_found why;
    uint64_t behind_end; /* bytes after an END chunk */
    /* Chunks in between that are damaged and left out; the first of them. */
    uint64_t left_out, left_out_at, left_out_bytes;
    uint32_t left_out_type;
    bool damaged; /* bytes have changed; not that they are missing at the end */
};

static bool check_start(const struct chunk_source *source, struct err *err)
{
    uint8_t start[FILE_START_BYTES];
    size_t n = source->size < sizeof start ? (size_t)source->size : sizeof start;
    if (!chunk_source_read(source, 0, start, n, err))
        return false;
    if (n < sizeof start || memcmp(start, FILE_MAGIC, 8) != 0)
        return err_set(err, ERR_FORMAT, "not a gait profile");
    uint32_t version = (uint32_t)start[8] | (uint32_t)start[9] << 8 | (uint32_t)start[10] << 16 |
                       (uint32_t)start[11] << 24;
    if (version != FILE_VERSION)
        return err_set(err, ERR_FORMAT, "file version %u: this gait reads version %d", version,
                       FILE_VERSION);
    return true;
}

static bool header_unreadable(enum chunk_found found, struct err *err)
{
    if (found == CHUNK_WHOLE)
        return err_set(err, ERR_FORMAT, "byte %d: the first chunk is no HEADER", FILE_START_BYTES);
    return err_set(err, ERR_FORMAT, "byte %d: the HEADER chunk is %s", FILE_START_BYTES,
                   found == CHUNK_DAMAGED ? "damaged" : "cut short");
}

/* What is known of the chunks up to a place. */
struct survey {
    uint32_t totals, batches;
    uint32_t modules_behind; /* damage: numbers of modules in what follows are not sure */
};

static void survey_chunk(struct survey *survey, const struct chunk *chunk,
                         const struct extent *extent)
{
    survey->totals += chunk->type == CHUNK_TOTALS;
    survey->batches += (row_table(chunk->type) < TABLES) && chunk->version == CHUNK_BATCH_VERSION;
    survey->modules_behind += chunk->type == CHUNK_MODULES && extent->left_out;
}

static void leave_out(struct extent *extent, const struct chunk *chunk)
{
    if (!extent->left_out++) {
        extent->left_out_at = chunk->offset;
        extent->left_out_bytes = chunk->next - chunk->offset;
        extent->left_out_type = chunk->type;
    }
}

/* Whether a chunk that seems cut was damaged: a file that was cut while it was written does not
 * have an END as its last bytes, and an END has no payload to be cut. */
static bool cut_by_damage(const struct chunk_source *source, struct chunk *chunk, bool *ret_damaged,
                          struct err *err)
{
    *ret_damaged = chunk->type == CHUNK_END;
    if (*ret_damaged || source->size < FILE_START_BYTES + CHUNK_HEADER_BYTES)
        return true;
    enum chunk_found found = chunk_read(source, source->size - CHUNK_HEADER_BYTES, chunk, err);
    *ret_damaged = found == CHUNK_WHOLE && chunk->type == CHUNK_END;
    return found != CHUNK_FAILED;
}

/* Goes over all chunks first, without decoding, because an append counts only as a whole: half of
 * one would give edges without the totals they are shares of. `past` damage: to the next chunk as
 * the length says. */
static bool find_extent(const struct chunk_source *source, struct chunk *chunk, bool past,
                        struct survey *survey, struct extent *ret_extent, struct err *err)
{
    enum chunk_found found = chunk_read(source, FILE_START_BYTES, chunk, err);
    if (found == CHUNK_FAILED)
        return false;
    if (found != CHUNK_WHOLE || chunk->type != CHUNK_HEADER)
        return header_unreadable(found, err);
    struct extent extent = {.first = chunk->next, .usable = chunk->next};
    *survey = (struct survey){0};
    bool going;
    do {
        found = chunk_read(source, chunk->next, chunk, err);
        if (found == CHUNK_FAILED)
            return false;
        going = found == CHUNK_WHOLE && chunk->type != CHUNK_END;
        if (found == CHUNK_WHOLE) {
            survey_chunk(survey, chunk, &extent);
            if (chunk->type == CHUNK_TOTALS || chunk->type == CHUNK_END)
                extent.usable = chunk->next;
        } else if (found == CHUNK_DAMAGED && past && chunk->next > chunk->offset) {
            leave_out(&extent, chunk);
            going = true;
        }
    } while (going);
    extent.why = found;
    extent.stop = found == CHUNK_WHOLE ? chunk->next : chunk->offset;
    if (found == CHUNK_WHOLE)
        extent.behind_end = source->size - chunk->next;
    extent.damaged = found == CHUNK_DAMAGED || extent.left_out;
    *ret_extent = extent;
    return found != CHUNK_CUT || cut_by_damage(source, chunk, &ret_extent->damaged, err);
}

/* A closed file is one append. There a damaged chunk costs no more than itself, as long as none of
 * those that number others can be meant: whatever type it claims to have, it may have had another.
 */
static bool passable(const struct extent *extent, const struct survey *survey)
{
    return extent->why == CHUNK_WHOLE && extent->left_out && survey->totals == 1 &&
           !survey->batches && !survey->modules_behind;
}

static bool decode_extent(const struct chunk_source *source, const struct extent *extent,
                          struct chunk *chunk, struct decoder *decoder, struct err *err)
{
    for (uint64_t offset = FILE_START_BYTES; offset < extent->usable; offset = chunk->next) {
        enum chunk_found found = chunk_read(source, offset, chunk, err);
        if (found == CHUNK_FAILED)
            return false;
        if (found == CHUNK_DAMAGED && extent->left_out && chunk->next > offset)
            continue;
        if (found != CHUNK_WHOLE)
            return err_set(err, ERR_SYSTEM, "byte %llu: changed while being read",
                           (unsigned long long)offset);
        if (!decode_chunk(decoder, chunk, err))
            return err_in(err, "byte %llu", (unsigned long long)offset);
    }
    decode_finish(decoder);
    return true;
}

static char *warning_of(const char *name, const struct chunk_source *source,
                        const struct extent *extent, uint64_t skipped, bool ruined,
                        struct arena *arena)
{
    unsigned long long stop = extent->stop, lost = source->size - extent->usable;
    if (extent->left_out)
        return arena_format(arena,
                            "%s: damaged: the %s chunk at byte %llu, %llu bytes, is left out%s; "
                            "%s",
                            name, chunk_name(extent->left_out_type),
                            (unsigned long long)extent->left_out_at,
                            (unsigned long long)extent->left_out_bytes,
                            extent->left_out > 1 ? ", and others behind it" : "",
                            ruined ? "nothing is left that was counted" : "all else is used");
    if (ruined)
        return arena_format(
            arena, "%s: damaged in the chunk at byte %llu; nothing is left that was counted", name,
            stop);
    if (extent->why == CHUNK_CUT && !extent->damaged)
        return arena_format(arena,
                            "%s: cut short in the chunk at byte %llu; the last %llu bytes "
                            "are not used",
                            name, stop, lost);
    if (extent->damaged)
        return arena_format(arena,
                            "%s: damaged in the chunk at byte %llu; the last %llu bytes are "
                            "not used",
                            name, stop, lost);
    if (extent->behind_end)
        return arena_format(arena, "%s: %llu bytes behind the end are not used", name,
                            (unsigned long long)extent->behind_end);
    if (lost)
        return arena_format(arena,
                            "%s: the last append is not whole; the last %llu bytes are not "
                            "used",
                            name, lost);
    if (skipped)
        return arena_format(arena,
                            "%s: %llu chunks of unknown type skipped: another version of gait "
                            "wrote it",
                            name, (unsigned long long)skipped);
    return NULL;
}

/* Modules and rows of a file that grew stand in the order in which they came. They get that of a
 * whole file, so that what is shown does not depend on it. */
static bool put_in_order(struct profile *profile, struct chunk *chunk, struct err *err)
{
    struct encoder encoder = {0};
    struct profile ordered;
    struct decoder decoder;
    encode_whole(&encoder, profile, NULL);
    profile_init(&ordered);
    decoder_init(&decoder, &ordered);
    const struct chunk_source source = {.fd = -1, .memory = encoder.out.at, .size = encoder.out.n};
    bool ok = true;
    for (uint64_t at = FILE_START_BYTES; ok && at < source.size; at = chunk->next)
        ok = chunk_read(&source, at, chunk, err) == CHUNK_WHOLE &&
             decode_chunk(&decoder, chunk, err);
    if (ok)
        decode_finish(&decoder);
    encoder_release(&encoder);
    decoder_release(&decoder);
    profile_release(ok ? profile : &ordered);
    if (ok)
        *profile = ordered;
    return ok;
}

static bool read_extent(const char *name, const struct chunk_source *source,
                        const struct extent *extent, struct chunk *chunk, bool grew,
                        struct profile *ret_profile, struct err *err)
{
    struct profile profile;
    struct decoder decoder;
    profile_init(&profile);
    decoder_init(&decoder, &profile);
    bool ok = decode_extent(source, extent, chunk, &decoder, err) &&
              (!grew || put_in_order(&profile, chunk, err));
    if (ok) {
        profile.damaged = extent->damaged;
        profile.ruined =
            extent->damaged && !profile.edges.n && !profile.ranges.n && !profile.stacks.nodes.n;
        profile.warning =
            warning_of(name, source, extent, decoder.skipped, profile.ruined, &profile.arena);
        profile.complete = profile.complete && !extent->damaged;
        *ret_profile = profile;
    } else {
        profile_release(&profile);
    }
    decoder_release(&decoder);
    return ok;
}

static bool read_source(const char *name, const struct chunk_source *source,
                        struct profile *ret_profile, struct err *err)
{
    struct chunk chunk = {0};
    struct extent extent = {0};
    struct survey survey;
    struct err unread;
    bool ok = check_start(source, err) && find_extent(source, &chunk, true, &survey, &extent, err);
    bool done = ok && passable(&extent, &survey) &&
                read_extent(name, source, &extent, &chunk, false, ret_profile, &unread);
    if (ok && !done)
        ok = (!extent.left_out || find_extent(source, &chunk, false, &survey, &extent, err)) &&
             read_extent(name, source, &extent, &chunk, survey.totals > 1 || survey.batches,
                         ret_profile, err);
    chunk_release(&chunk);
    return ok || err_in(err, "%s", name);
}

bool profile_read_bytes(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
                        struct err *err)
{
    struct chunk_source source = {.fd = -1, .memory = bytes, .size = n};
    return read_source(name, &source, ret_profile, err);
}

/* A pipe can be read once and not at will: all of it is taken. */
static bool read_standard(struct profile *ret_profile, struct err *err)
{
    enum { SOME = 1 << 20 };
    struct bytes all = {0};
    if (isatty(STDIN_FILENO))
        return err_set(err, ERR_USAGE,
                       "-: a profile is no text to be typed; expected a file or a pipe as standard "
                       "input: gait report -i - <gait.data");
    for (;;) {
        bytes_reserve(&all, all.n + SOME);
        ssize_t got = read(STDIN_FILENO, all.at + all.n, SOME);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            vec_release(&all);
            return err_errno(err, "cannot read standard input");
        }
        if (!got)
            break;
        all.n += (size_t)got;
    }
    bool ok = profile_read_bytes("standard input", all.at, all.n, ret_profile, err);
    vec_release(&all);
    return ok;
}

bool profile_read(const char *path, struct profile *ret_profile, struct err *err)
{
    if (strcmp(path, "-") == 0)
        return read_standard(ret_profile, err);
    /* Non-blocking only so that a FIFO is refused below instead of waited for. */
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_MISSING, "%s: %s", path,
                       errno == ENOENT ? "no such file" : strerror(errno));
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return err_errno(err, "%s", path);
    if (!S_ISREG(stat.st_mode))
        return err_set(err, ERR_FORMAT, "%s: not a regular file", path);
    struct chunk_source source = {.fd = fd, .size = (uint64_t)stat.st_size};
    return read_source(path, &source, ret_profile, err);
}

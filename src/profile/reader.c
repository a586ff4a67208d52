#include "profile/file.h"

#include "base/err.h"
#include "base/scope.h"
#include "profile/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* How far a file can be used. */
struct extent {
    uint64_t usable; /* end of the last whole append */
    uint64_t stop;   /* where looking ended */
    enum chunk_found why;
    uint64_t behind_end; /* bytes after an END chunk */
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

/* Goes over all chunks first, without decoding, because an append counts only as a whole: half of
 * one would give edges without the totals they are shares of. */
static bool find_extent(const struct chunk_source *source, struct chunk *chunk,
                        struct extent *ret_extent, struct err *err)
{
    enum chunk_found found = chunk_read(source, FILE_START_BYTES, chunk, err);
    if (found == CHUNK_FAILED)
        return false;
    if (found != CHUNK_WHOLE || chunk->type != CHUNK_HEADER)
        return header_unreadable(found, err);
    struct extent extent = {.usable = chunk->next};
    do {
        found = chunk_read(source, chunk->next, chunk, err);
        if (found == CHUNK_FAILED)
            return false;
        if (found == CHUNK_WHOLE && (chunk->type == CHUNK_TOTALS || chunk->type == CHUNK_END))
            extent.usable = chunk->next;
    } while (found == CHUNK_WHOLE && chunk->type != CHUNK_END);
    extent.why = found;
    extent.stop = chunk->next;
    if (found == CHUNK_WHOLE)
        extent.behind_end = source->size - chunk->next;
    *ret_extent = extent;
    return true;
}

static bool decode_extent(const struct chunk_source *source, const struct extent *extent,
                          struct chunk *chunk, struct decoder *decoder, struct err *err)
{
    for (uint64_t offset = FILE_START_BYTES; offset < extent->usable; offset = chunk->next) {
        enum chunk_found found = chunk_read(source, offset, chunk, err);
        if (found == CHUNK_FAILED)
            return false;
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
                        const struct extent *extent, uint64_t skipped, struct arena *arena)
{
    unsigned long long stop = extent->stop, lost = source->size - extent->usable;
    if (extent->why == CHUNK_CUT)
        return arena_format(arena,
                            "%s: cut short in the chunk at byte %llu; the last %llu bytes "
                            "are not used",
                            name, stop, lost);
    if (extent->why == CHUNK_DAMAGED)
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
        return arena_format(arena, "%s: %llu chunks of unknown type skipped: a newer gait wrote it",
                            name, (unsigned long long)skipped);
    return NULL;
}

static bool read_source(const char *name, const struct chunk_source *source,
                        struct profile *ret_profile, struct err *err)
{
    struct chunk chunk = {0};
    struct extent extent = {0};
    struct profile profile;
    struct decoder decoder;
    profile_init(&profile);
    decoder_init(&decoder, &profile);
    bool ok = check_start(source, err) && find_extent(source, &chunk, &extent, err) &&
              decode_extent(source, &extent, &chunk, &decoder, err);
    if (ok) {
        profile.warning = warning_of(name, source, &extent, decoder.skipped, &profile.arena);
        *ret_profile = profile;
    } else {
        profile_release(&profile);
        err_in(err, "%s", name);
    }
    decoder_release(&decoder);
    chunk_release(&chunk);
    return ok;
}

bool profile_read_bytes(const char *name, const void *bytes, size_t n, struct profile *ret_profile,
                        struct err *err)
{
    struct chunk_source source = {.fd = -1, .memory = bytes, .size = n};
    return read_source(name, &source, ret_profile, err);
}

bool profile_read(const char *path, struct profile *ret_profile, struct err *err)
{
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

#include "keep/sources.h"

#include "base/err.h"
#include "base/intern.h"
#include "base/scope.h"
#include "keep/fields.h"
#include "keep/kept_function.h"
#include "profile/profile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 1 << 22 };

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * 0x100000001b3u;
    return hash;
}

/* ---- writing */

/* Appends path and text; false: it is not there, or too long. */
static bool text_read(struct bytes *to, const char *path)
{
    struct stat status;
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > SOURCE_MAX)
        return false;
    size_t n = (size_t)status.st_size, done = 0;
    to->n = 0;
    field_put_text(to, path);
    field_put(to, n);
    bytes_reserve(to, to->n + n);
    for (ssize_t got = 1; got > 0 && done<n; done += got> 0 ? (size_t)got : 0)
        got = read(fd, to->at + to->n + done, n - done);
    to->n += n;
    return done == n;
}

/* The paths that kept functions name, each with the first module that does. */
struct named_files {
    struct intern paths;
    struct named_modules {
        VEC(uint32_t);
    } modules; /* by number of the path */
};

static void files_find(struct named_files *files, const struct kept_parts *kept)
{
    struct kept_function function = {0};
    struct arena arena = {0};
    struct err ignored;
    for (size_t i = 0; i < kept->n; i++) {
        const struct kept_part *part = &kept->at[i];
        if (part->kind != KEPT_FUNCTION ||
            !kept_function_decode(&function, &arena, part->at, part->bytes, part->n, &ignored))
            continue;
        for (size_t f = 0; f < function.files.n; f++)
            if (intern_number(&files->paths, function.files.at[f]) == files->modules.n)
                *vec_push(&files->modules) = part->module;
    }
    kept_function_release(&function);
    arena_release(&arena);
}

size_t sources_keep(struct kept_parts *kept, struct arena *arena)
{
    struct named_files files = {0};
    struct bytes bytes = {0};
    size_t missing = 0;
    intern_init(&files.paths);
    files_find(&files, kept);
    for (size_t i = 0; i < files.modules.n; i++) {
        const char *path = files.paths.texts.at[i];
        if (!text_read(&bytes, path)) {
            missing++;
            continue;
        }
        kept_add(kept, arena,
                 &(struct kept_part){.module = files.modules.at[i],
                                     .kind = KEPT_SOURCE,
                                     .at = hash_of(path),
                                     .n = bytes.n,
                                     .bytes = bytes.at});
    }
    kept_sort(kept);
    intern_release(&files.paths);
    vec_release(&files.modules);
    vec_release(&bytes);
    return missing;
}

/* ---- reading */

static const char *part_text(const struct kept_part *part, const char *path, size_t *ret_n)
{
    struct cursor cursor = {.at = part->bytes, .end = part->bytes + part->n};
    size_t n = field_get_count(&cursor, 1);
    bool same = strlen(path) == n && memcmp(cursor.at, path, n) == 0;
    cursor_skip(&cursor, n);
    *ret_n = field_get_count(&cursor, 1);
    return same && !cursor.bad ? (const char *)cursor.at : NULL;
}

const char *source_kept(const struct profile *profile, const char *path, size_t *ret_n)
{
    uint64_t hash = hash_of(path);
    for (uint32_t module = 0; module < profile->modules.n; module++) {
        size_t n;
        const struct kept_part *parts = kept_of(&profile->kept, module, KEPT_SOURCE, &n);
        for (size_t i = 0; i < n; i++) {
            const char *text = parts[i].at == hash ? part_text(&parts[i], path, ret_n) : NULL;
            if (text)
                return text;
        }
    }
    return NULL;
}

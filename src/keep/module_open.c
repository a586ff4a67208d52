#include "keep/module_open.h"

#include "base/err.h"
#include "keep/kept_image.h"
#include "profile/profile.h"
#include "program/binary.h"
#include "program/elf/debug_file.h"
#include "program/elf/stamp.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where */

enum { MOVED_MAX = 64 };

static struct {
    struct moved {
        const char *from, *to;
        size_t from_bytes;
    } moved[MOVED_MAX];
    size_t n;
    const char *root;
} elsewhere;

bool module_moved(const char *moved, struct err *err)
{
    const char *equals = strchr(moved, '=');
    if (!equals || equals == moved || !equals[1])
        return err_set(err, ERR_USAGE, "%s: expected OLD=NEW, two paths", moved);
    if (elsewhere.n == MOVED_MAX)
        return err_set(err, ERR_USAGE, "more than %d moved binaries", MOVED_MAX);
    elsewhere.moved[elsewhere.n++] = (struct moved){moved, equals + 1, (size_t)(equals - moved)};
    return true;
}

void module_root(const char *root)
{
    elsewhere.root = root;
}

/* ---- files that no path leads to */

enum { REACHED_MAX = 256 };

/* One is added at a time, but others look meanwhile: it counts when all of it is written. */
static struct {
    struct reached_file {
        char *path;
        uint8_t build_id[BUILD_ID_MAX];
        uint32_t build_id_bytes;
        char now[32];
    } at[REACHED_MAX];
    uint32_t n;
} reached;

static const char *path_reached(const char *path, const uint8_t *build_id, uint32_t bytes)
{
    uint32_t n = __atomic_load_n(&reached.n, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        const struct reached_file *file = &reached.at[i];
        if (strcmp(file->path, path) == 0 && file->build_id_bytes == bytes &&
            memcmp(file->build_id, build_id, bytes) == 0)
            return file->now;
    }
    return NULL;
}

static bool leads_to(const char *path, const char *file)
{
    struct stat here, there;
    return stat(path, &here) == 0 && stat(file, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

void module_reached(const char *path, const struct image *image)
{
    uint32_t n = reached.n;
    if (n == REACHED_MAX || !image->build_id_bytes || leads_to(path, image->path) ||
        path_reached(path, image->build_id, image->build_id_bytes))
        return;
    int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    struct reached_file *file = &reached.at[n];
    file->path = mem_alloc(strlen(path) + 1);
    strcpy(file->path, path);
    memcpy(file->build_id, image->build_id, image->build_id_bytes);
    file->build_id_bytes = image->build_id_bytes;
    snprintf(file->now, sizeof file->now, "/proc/self/fd/%d", fd);
    __atomic_store_n(&reached.n, n + 1, __ATOMIC_RELEASE);
}

/* OLD may be the whole path, its last part, or a folder that it is in. */
static const char *path_moved(const char *path, const struct moved *moved, struct arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = moved->from_bytes;
    bool whole = strlen(path) == n && memcmp(path, moved->from, n) == 0;
    bool last = strlen(name) == n && memcmp(name, moved->from, n) == 0;
    if (whole || last)
        return moved->to;
    if (strncmp(path, moved->from, n) == 0 && (path[n] == '/' || moved->from[n - 1] == '/'))
        return arena_format(arena, "%s%s", moved->to, path + n - (moved->from[n - 1] == '/'));
    return NULL;
}

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Where the file may be now; a path that the user gave counts even if it leads nowhere. */
static const char *path_now(const struct module *module, struct arena *arena)
{
    const char *path = module->path,
               *found = path_reached(path, module->build_id, module->build_id_bytes);
    for (size_t i = 0; i < elsewhere.n && !found; i++)
        found = path_moved(path, &elsewhere.moved[i], arena);
    if (found || !elsewhere.root || path[0] != '/')
        return found ? found : path;
    const char *slash = strrchr(path, '/');
    const char *whole = arena_format(arena, "%s%s", elsewhere.root, path);
    const char *flat = arena_format(arena, "%s%s", elsewhere.root, slash);
    return is_there(whole) ? whole : is_there(flat) ? flat : path;
}

/* ---- which build */

static bool same_build(const struct image *image, const struct module *module)
{
    return !module->build_id_bytes ||
           (image->build_id_bytes == module->build_id_bytes &&
            memcmp(image->build_id, module->build_id, module->build_id_bytes) == 0);
}

/* Whether the recording has a fact of that key about the path, for the module's build-id or any;
 * `but`: other than this. */
static bool fact_about(const struct profile *profile, const char *key, const char *build,
                       const char *but, const char *path)
{
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        const char *space = strcmp(fact->key, key) == 0 ? strchr(fact->value, ' ') : NULL;
        size_t n = space ? (size_t)(space - fact->value) : 0;
        if (space && strcmp(space + 1, path) == 0 &&
            (!build || (strlen(build) == n && memcmp(fact->value, build, n) == 0)) &&
            (!but || strlen(but) != n || memcmp(fact->value, but, n) != 0))
            return true;
    }
    return false;
}

/* The file was gone when its code was first seen: addresses are not even known as linked. */
static bool was_replaced(const struct profile *profile, const struct module *module)
{
    char build[2 * sizeof module->build_id + 1] = "-";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(build + (size_t)2 * i, 3, "%02x", module->build_id[i]);
    return fact_about(profile, "replaced", build, NULL, module->path);
}

/* Of a file without build-id: whether it has other code than the one that ran. */
static bool has_other_stamp(const struct profile *profile, const struct image *image,
                            const struct module *module)
{
    char stamp[17];
    if (module->build_id_bytes || !fact_about(profile, "stamp", NULL, NULL, module->path))
        return false;
    snprintf(stamp, sizeof stamp, "%016llx", (unsigned long long)stamp_of(image));
    return fact_about(profile, "stamp", NULL, stamp, module->path);
}

static void build_text(char *text, const uint8_t *id, uint32_t bytes)
{
    strcpy(text, "none");
    for (uint32_t i = 0; i < bytes; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", id[i]);
}

static const char *build_missing(struct arena *arena, const struct image *image,
                                 const struct module *module)
{
    char there[2 * BUILD_ID_MAX + 5], ran[2 * sizeof module->build_id + 5];
    build_text(there, image->build_id, image->build_id_bytes);
    build_text(ran, module->build_id, module->build_id_bytes);
    if (!module->build_id_bytes)
        return arena_format(arena, "%s: is not the build that ran", image->path);
    return arena_format(arena,
                        "%s: is not the build that ran (build-id %s, not %s); gait carry makes a "
                        "profile of it",
                        image->path, there, ran);
}

/* ---- which of the two */

/* The same library may lie here without the debug file that it had where it ran. */
static bool knows_less(const struct image *image, const struct profile *profile, uint32_t index)
{
    const char *lacking = debug_file_lacking(image);
    if (!lacking)
        return false;
    struct kept_knowledge kept = kept_image_knows(profile, index);
    return debug_file_names(image) ? kept.lines : kept.names;
}

/* ---- opening */

static bool any_file_open(struct binary *binary, const struct profile *profile, uint32_t index,
                          size_t sweep_bytes, struct arena *arena, const char **ret_missing)
{
    const struct module *module = &profile->modules.at[index];
    const char *path = module->path;
    struct err err;
    if (path[0] == '[' && strcmp(path, "[vdso]") != 0) {
        *ret_missing = "code without a file";
        return false;
    }
    if (was_replaced(profile, module)) {
        *ret_missing = arena_format(arena, "%s: replaced or deleted while it ran", path);
        return false;
    }
    if (!binary_open_within(binary, path_now(module, arena), sweep_bytes, &err)) {
        *ret_missing = arena_string(arena, err.text);
        return false;
    }
    if (same_build(&binary->image, module) && !has_other_stamp(profile, &binary->image, module))
        return true;
    *ret_missing = build_missing(arena, &binary->image, module);
    binary_close(binary);
    return false;
}

bool module_file_open(struct binary *binary, const struct profile *profile, uint32_t index,
                      size_t sweep_bytes, struct arena *arena, const char **ret_missing)
{
    if (!any_file_open(binary, profile, index, sweep_bytes, arena, ret_missing))
        return false;
    if (!knows_less(&binary->image, profile, index))
        return true;
    *ret_missing = arena_format(arena, "%s: tells less than the profile", binary->image.path);
    binary_close(binary);
    return false;
}

/* A path of a profile is somebody's word: a pipe or a device must not be opened. */
static bool is_file(const char *path)
{
    struct stat status;
    return strcmp(path, "[vdso]") == 0 || (stat(path, &status) == 0 && S_ISREG(status.st_mode));
}

bool module_image_open(struct image *image, const struct profile *profile, uint32_t index)
{
    const struct module *module = &profile->modules.at[index];
    struct arena arena = {0};
    struct err ignored;
    const char *path = path_now(module, &arena);
    bool there = is_file(path) && image_open(image, path, &ignored);
    arena_release(&arena);
    if (there && (!same_build(image, module) || has_other_stamp(profile, image, module))) {
        image_close(image);
        there = false;
    }
    /* The symbols of the file alone number the paths: those of one that was stripped since do not.
     */
    struct kept_knowledge kept = {0};
    if (there && !debug_file_names(image))
        kept = kept_image_knows(profile, index);
    if (there && !kept.symbols)
        return true;
    struct image made;
    bool ok = kept_image_there(profile, index) &&
              kept_image_open(&made, profile, index, true, there ? image : NULL, &ignored);
    if (there && ok)
        image_close(image);
    if (ok)
        *image = made;
    return ok || there;
}

/* What the profile keeps, with the code of `file`, or without. */
static bool kept_open(struct binary *binary, const struct profile *profile, uint32_t index,
                      const struct image *file, struct err *err)
{
    struct image image;
    if (!kept_image_open(&image, profile, index, false, file, err))
        return false;
    binary_open_image(binary, image);
    return true;
}

bool module_open(struct binary *binary, const struct profile *profile, uint32_t index,
                 struct arena *arena, const char **ret_missing)
{
    struct binary kept;
    struct err err;
    if (any_file_open(binary, profile, index, SIZE_MAX, arena, ret_missing)) {
        if (knows_less(&binary->image, profile, index) &&
            kept_open(&kept, profile, index, &binary->image, &err)) {
            binary_close(binary);
            *binary = kept;
        }
        return true;
    }
    if (!kept_image_there(profile, index))
        return false;
    if (kept_open(binary, profile, index, NULL, &err))
        return true;
    *ret_missing = arena_format(arena, "%s; %s", *ret_missing, err.text);
    return false;
}

#include "store/body.h"
#include "store/code.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/sha256.h"
#include "profile/file/file.h"
#include "store/origin.h"
#include "wire/varint.h"

#include <stdlib.h>

/* Of one function different recordings may know more or less. */
struct part_key {
    uint64_t kind, at, bytes;
};

/* What stands for a part is its length, highest byte first: of two stubs the one of the longer part
 * is the greater, and so the one that merging keeps. */
enum { STUB_BYTES = 4 };

static void stub_put(uint8_t stub[STUB_BYTES], size_t length)
{
    uint32_t folded = __builtin_bswap32((uint32_t)length);
    memcpy(stub, &folded, sizeof folded);
}

static struct part_key stub_key(const struct kept_part *part)
{
    uint32_t folded = 0;
    if (part->n == STUB_BYTES)
        memcpy(&folded, part->bytes, sizeof folded);
    return (struct part_key){part->kind, part->at, __builtin_bswap32(folded)};
}

void code_known_init(struct code_known *known)
{
    *known = (struct code_known){0};
    map_init(&known->modules, sizeof((struct module *)0)->build_id);
}

void code_known_release(struct code_known *known)
{
    for (size_t i = 0; i < known->n; i++)
        map_release(&known->at[i]);
    vec_release(known);
    map_release(&known->modules);
}

/* Code that was made at run time has its process in place of a build-id. */
static bool shared(const struct module *module)
{
    return module->path[0] == '/' && module->build_id_bytes;
}

bool code_hold(struct sql *sql, bool alone, struct err *err)
{
    return !sql->driver->partitions ||
           sql_run(sql,
                   alone ? "SELECT pg_advisory_xact_lock(7234201863)"
                         : "SELECT pg_advisory_xact_lock_shared(7234201863)",
                   err);
}

/* ---- sending */

static void number_add(struct bytes *to, uint64_t number)
{
    uint8_t room[VARINT_BYTES_MAX];
    bytes_add(to, room, (size_t)(varint_put(room, number) - room));
}

static void has_add(struct bytes *has, const struct kept_part *part)
{
    number_add(has, part->kind);
    number_add(has, part->at);
    number_add(has, part->n);
}

static bool has_take(void *to, const struct sql_value *columns, struct err *err)
{
    const uint8_t *at = columns[0].bytes, *end = at + columns[0].n;
    struct part_key key;
    while (at < end) {
        if (!varint_get(&at, end, &key.kind) || !varint_get(&at, end, &key.at) ||
            !varint_get(&at, end, &key.bytes))
            return err_set(err, ERR_FORMAT, "gait_code: a list of parts is damaged");
        map_add(to, &key);
    }
    return true;
}

/* What the store has of a module; asked for once. */
static struct map *known_parts(struct sql *sql, struct code_known *known,
                               const struct module *module, const char *build, struct err *err)
{
    uint8_t id[sizeof module->build_id] = {0};
    memcpy(id, module->build_id, module->build_id_bytes);
    uint32_t index = map_add(&known->modules, id);
    if (index < known->n)
        return &known->at[index];
    struct map *parts = vec_push(known);
    map_init(parts, sizeof(struct part_key));
    struct sql_value value = sql_text(build);
    bool ok = sql_query(sql, "SELECT has FROM gait_code WHERE module = $1", &value, 1, has_take,
                        parts, NULL, err);
    return ok ? parts : NULL;
}

static bool pack_send(struct sql *sql, const char *build, const struct profile *pack,
                      const struct bytes *has, struct err *err)
{
    struct bytes body = {0};
    uint8_t digest[SHA256_BYTES];
    body_write(&body, pack);
    sha256(body.at, body.n, digest);
    const struct sql_value values[] = {sql_text(build), sql_bytes(digest, sizeof digest),
                                       sql_bytes(has->at, has->n), sql_bytes(body.at, body.n)};
    bool ok = sql_query(sql,
                        "INSERT INTO gait_code (module, digest, has, body) "
                        "VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                        values, 4, NULL, NULL, NULL, err);
    vec_release(&body);
    return ok;
}

/* Empties the parts of a module and adds those that the store lacks to the pack. */
static void parts_split(struct profile *profile, uint32_t module, struct map *parts,
                        struct profile *pack, struct bytes *has)
{
    for (size_t i = 0; i < profile->kept.n; i++) {
        struct kept_part *part = &profile->kept.at[i], packed = *part;
        if (part->module != module)
            continue;
        const struct part_key key = {part->kind, part->at, part->n};
        if (map_find(parts, &key) == MAP_NONE) {
            packed.module = 0;
            *vec_push(&pack->kept) = packed; /* the bytes stay where they are */
            has_add(has, part);
            map_add(parts, &key);
        }
        uint8_t *stub = arena_alloc(&profile->arena, STUB_BYTES);
        stub_put(stub, part->n);
        part->bytes = stub;
        part->n = STUB_BYTES;
        part->code_at = part->code_n = 0;
    }
}

static bool module_send(struct sql *sql, struct code_known *known, struct profile *profile,
                        uint32_t index, struct err *err)
{
    const struct module *module = &profile->modules.at[index];
    char build[BUILD_HEX];
    build_text(module, build);
    struct map *parts = known_parts(sql, known, module, build, err);
    if (!parts)
        return false;
    struct profile pack;
    struct bytes has = {0};
    profile_init(&pack);
    pack.mode = PROFILE_PLAIN;
    pack.complete = true;
    profile_module(&pack, "/", module->build_id, module->build_id_bytes);
    parts_split(profile, index, parts, &pack, &has);
    bool ok = !has.n || pack_send(sql, build, &pack, &has, err);
    vec_release(&has);
    profile_release(&pack);
    return ok;
}

struct numbered {
    const struct module *module;
    uint32_t index;
};

static int numbered_compare(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = memcmp(x->module->build_id, y->module->build_id, sizeof x->module->build_id);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* In the order of build-ids: two who send at a time do not wait for each other (push_together). */
bool code_send(struct sql *sql, struct code_known *known, struct profile *profile, struct err *err)
{
    struct {
        VEC(struct numbered);
    } modules = {0};
    bool ok = true;
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (shared(&profile->modules.at[i]))
            *vec_push(&modules) = (struct numbered){&profile->modules.at[i], i};
    if (modules.n)
        qsort(modules.at, modules.n, sizeof *modules.at, numbered_compare);
    for (size_t i = 0; ok && i < modules.n; i++)
        ok = module_send(sql, known, profile, modules.at[i].index, err);
    vec_release(&modules);
    return ok;
}

/* ---- filling */

struct filling {
    struct profile *profile;
    uint32_t module;
    struct map keys; /* of the module's stubs that are not filled yet */
    struct {
        VEC(uint32_t);
    } parts; /* their place among the profile's; UINT32_MAX: filled */
};

static bool pack_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct filling *filling = to;
    struct profile pack, *profile = filling->profile;
    (void)err;
    struct err damaged; /* its parts are lost, and counted as that */
    if (!body_read("gait_code", columns[0].bytes, columns[0].n, &pack, &damaged))
        return true;
    for (size_t i = 0; i < pack.kept.n; i++) {
        const struct kept_part *from = &pack.kept.at[i];
        const struct part_key key = {from->kind, from->at, from->n};
        uint32_t at = map_find(&filling->keys, &key);
        if (at == MAP_NONE || filling->parts.at[at] == UINT32_MAX)
            continue;
        struct kept_part filled = *from;
        uint8_t *bytes = arena_alloc(&profile->arena, from->n + 1);
        memcpy(bytes, from->bytes, from->n);
        filled.bytes = bytes;
        filled.module = filling->module;
        profile->kept.at[filling->parts.at[at]] = filled;
        filling->parts.at[at] = UINT32_MAX;
    }
    profile_release(&pack);
    return true;
}

/* Stubs that stay stubs are marked by length 0. */
static size_t lost_mark(struct profile *profile, const struct filling *filling)
{
    size_t lost = 0;
    for (size_t i = 0; i < filling->parts.n; i++)
        if (filling->parts.at[i] != UINT32_MAX) {
            profile->kept.at[filling->parts.at[i]].n = 0;
            lost++;
        }
    return lost;
}

static bool module_fill(struct sql *sql, struct profile *profile, uint32_t index, uint64_t *lost,
                        struct err *err)
{
    struct filling filling = {.profile = profile, .module = index};
    char build[BUILD_HEX];
    map_init(&filling.keys, sizeof(struct part_key));
    for (uint32_t i = 0; i < profile->kept.n; i++) {
        struct part_key key = stub_key(&profile->kept.at[i]);
        if (profile->kept.at[i].module != index)
            continue;
        map_add(&filling.keys, &key);
        *vec_push(&filling.parts) = i;
    }
    build_text(&profile->modules.at[index], build);
    struct sql_value value = sql_text(build);
    bool ok = !filling.parts.n || sql_query(sql, "SELECT body FROM gait_code WHERE module = $1",
                                            &value, 1, pack_take, &filling, NULL, err);
    *lost += lost_mark(profile, &filling);
    map_release(&filling.keys);
    vec_release(&filling.parts);
    return ok;
}

bool code_fill(struct sql *sql, struct profile *profile, uint64_t *ret_lost, struct err *err)
{
    size_t kept = 0;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (shared(&profile->modules.at[i]) && !module_fill(sql, profile, i, &lost, err))
            return false;
    for (size_t i = 0; i < profile->kept.n; i++)
        if (profile->kept.at[i].n)
            profile->kept.at[kept++] = profile->kept.at[i];
    profile->kept.n = kept;
    *ret_lost = lost;
    return true;
}

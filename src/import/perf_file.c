#include "import/perf_file.h"

#include "base/err.h"
#include "base/cursor.h"

#include <string.h>

enum {
    HEADER_BYTES = 104,
    PIPE_HEADER_BYTES = 16,
    RECORD_BYTES = 8,
    ATTR_BYTES_LEAST = 64,
    FEATURES = 256,
};
/* Of perf's own, where its records differ from the kernel's. */
enum {
    RECORD_ATTR = 64,
    RECORD_BUILD_ID = 67,
    RECORD_AUXTRACE = 71,
    RECORD_FEATURE = 80,
};
enum {
    FEATURE_BUILD_ID = 2,
    FEATURE_ARCH = 6,
    FEATURE_CPUID = 9,
    FEATURE_COMMAND = 11,
    FEATURE_EVENTS = 12,
    FEATURE_PMUS = 16,
};
enum { BUILD_ID_HAS_SIZE = 1 << 15 };

struct section {
    uint64_t offset, bytes;
};

static bool section_inside(const struct perf_file *file, const struct section *section)
{
    return section->offset <= file->size && section->bytes <= file->size - section->offset;
}

static struct cursor cursor_at(const struct perf_file *file, uint64_t offset, uint64_t bytes)
{
    return (struct cursor){file->bytes + offset, file->bytes + offset + bytes, false};
}

/* ---- events */

static struct perf_kind attr_read(struct cursor *cursor)
{
    struct perf_kind kind = {.type = cursor_u32(cursor)};
    cursor_skip(cursor, 4); /* its size */
    kind.config = cursor_u64(cursor);
    kind.period = cursor_u64(cursor);
    kind.sample_type = cursor_u64(cursor);
    kind.read_format = cursor_u64(cursor);
    uint64_t flags = cursor_u64(cursor);
    kind.ids_everywhere = flags >> 18 & 1;
    kind.precise = flags >> 15 & 3;
    if (flags >> 10 & 1)
        kind.period = 0;
    cursor_skip(cursor, 24); /* wakeup, breakpoint or config1, config2 */
    /* What follows is younger than the rest: a short one has zeros there. */
    kind.branch_type = cursor_u64(cursor);
    kind.user_registers = cursor_u64(cursor);
    cursor_skip(cursor, 8); /* stack bytes, clock */
    kind.kernel_registers = cursor_u64(cursor);
    return kind;
}

static void kind_add(struct perf_file *file, const struct perf_kind *kind, struct cursor *ids)
{
    uint32_t index = (uint32_t)file->kinds.n;
    *vec_push(&file->kinds) = *kind;
    while (cursor_room(ids) >= sizeof(uint64_t)) {
        uint64_t id = cursor_u64(ids);
        if (map_add(&file->ids, &id) == file->of_ids.n)
            *vec_push(&file->of_ids) = index;
    }
}

static bool attrs_read(struct perf_file *file, const struct section *section, uint64_t each,
                       struct err *err)
{
    if (each < ATTR_BYTES_LEAST + sizeof(struct section) || each > 4096)
        return err_set(err, ERR_FORMAT, "offset 16: an event takes %llu bytes",
                       (unsigned long long)each);
    for (uint64_t at = 0; section->bytes - at >= each; at += each) {
        struct cursor cursor = cursor_at(file, section->offset + at, each - sizeof(struct section));
        struct perf_kind kind = attr_read(&cursor);
        struct cursor tail =
            cursor_at(file, section->offset + at + each - sizeof(struct section), 16);
        struct section ids = {.offset = cursor_u64(&tail)};
        ids.bytes = cursor_u64(&tail);
        if (!section_inside(file, &ids))
            return err_set(err, ERR_FORMAT, "offset %llu: ids of an event lie outside of the file",
                           (unsigned long long)(section->offset + at));
        struct cursor list = cursor_at(file, ids.offset, ids.bytes);
        kind_add(file, &kind, &list);
    }
    return true;
}

/* ---- what is said of the machine */

/* A length, and so many bytes with a zero among them. */
static const char *text_take(struct cursor *cursor)
{
    uint32_t n = cursor_u32(cursor);
    if (!cursor_has(cursor, n))
        return NULL;
    const char *text = (const char *)cursor->at;
    cursor->at += n;
    return n && memchr(text, 0, n) ? text : NULL;
}

static const char *text_keep(struct perf_file *file, struct cursor cursor)
{
    const char *text = text_take(&cursor);
    return text ? arena_string(&file->arena, text) : NULL;
}

static void pmus_read(struct perf_file *file, struct cursor cursor)
{
    uint32_t n = cursor_u32(&cursor);
    for (uint32_t i = 0; i < n && !cursor.bad; i++) {
        struct perf_pmu pmu = {.type = cursor_u32(&cursor)};
        const char *name = text_take(&cursor);
        if (name) {
            pmu.name = arena_string(&file->arena, name);
            *vec_push(&file->pmus) = pmu;
        }
    }
}

static void command_read(struct perf_file *file, struct cursor cursor)
{
    struct text {
        VEC(char);
    } text = {0};
    uint32_t n = cursor_u32(&cursor);
    for (uint32_t i = 0; i < n && !cursor.bad; i++) {
        const char *word = text_take(&cursor);
        for (; word && *word; word++)
            *vec_push(&text) = *word;
        *vec_push(&text) = i + 1 < n ? ' ' : 0;
    }
    *vec_push(&text) = 0;
    file->command = arena_string(&file->arena, text.at);
    vec_release(&text);
}

/* In the order of the events. */
static void events_read(struct perf_file *file, struct cursor cursor)
{
    uint32_t n = cursor_u32(&cursor), bytes = cursor_u32(&cursor);
    for (uint32_t i = 0; i < n && !cursor.bad; i++) {
        cursor_skip(&cursor, bytes);
        uint32_t ids = cursor_u32(&cursor);
        const char *name = text_take(&cursor);
        cursor_skip(&cursor, (uint64_t)ids * sizeof(uint64_t));
        if (name && !cursor.bad && i < file->kinds.n)
            file->kinds.at[i].name = arena_string(&file->arena, name);
    }
}

static void built_add(struct perf_file *file, uint32_t misc, struct cursor cursor)
{
    struct perf_built built = {.id_bytes = sizeof built.id};
    cursor_skip(&cursor, 4); /* whose: of the host or a guest */
    if (cursor_room(&cursor) < 24)
        return;
    memcpy(built.id, cursor.at, sizeof built.id);
    if (misc & BUILD_ID_HAS_SIZE && cursor.at[20] <= sizeof built.id)
        built.id_bytes = cursor.at[20];
    else /* of older perf, whose ids were of one size, shorter ones filled up */
        while (built.id_bytes && !built.id[built.id_bytes - 1])
            built.id_bytes--;
    cursor_skip(&cursor, 24);
    const char *path = cursor_string(&cursor);
    if (!path)
        return;
    built.path = arena_string(&file->arena, path);
    *vec_push(&file->builts) = built;
}

static void builts_read(struct perf_file *file, struct cursor cursor)
{
    while (cursor_room(&cursor) >= RECORD_BYTES) {
        cursor_skip(&cursor, 4);
        uint32_t both = cursor_u32(&cursor), misc = both & 0xFFFF, bytes = both >> 16;
        if (bytes < RECORD_BYTES || bytes - RECORD_BYTES > cursor_room(&cursor))
            return;
        built_add(file, misc, (struct cursor){cursor.at, cursor.at + bytes - RECORD_BYTES, false});
        cursor_skip(&cursor, bytes - RECORD_BYTES);
    }
}

static void feature_read(struct perf_file *file, uint64_t feature, struct cursor cursor)
{
    switch (feature) {
    case FEATURE_ARCH: file->arch = text_keep(file, cursor); break;
    case FEATURE_CPUID: file->cpuid = text_keep(file, cursor); break;
    case FEATURE_COMMAND: command_read(file, cursor); break;
    case FEATURE_EVENTS: events_read(file, cursor); break;
    case FEATURE_PMUS: pmus_read(file, cursor); break;
    case FEATURE_BUILD_ID: builts_read(file, cursor); break;
    default: break;
    }
}

/* Sections of features stand behind the records, each with its place, in the order of their bits.
 */
static bool features_read(struct perf_file *file, struct cursor *bits, struct err *err)
{
    uint64_t masks[FEATURES / 64];
    struct cursor table = cursor_at(file, file->data_end, file->size - file->data_end);
    for (int i = 0; i < FEATURES / 64; i++)
        masks[i] = cursor_u64(bits);
    for (uint64_t feature = 0; feature < FEATURES; feature++) {
        if (!(masks[feature / 64] >> feature % 64 & 1))
            continue;
        struct section section = {.offset = cursor_u64(&table)};
        section.bytes = cursor_u64(&table);
        if (table.bad)
            return true; /* perf was killed: there are records, but nothing behind them */
        if (!section_inside(file, &section))
            return err_set(err, ERR_FORMAT, "offset %llu: feature %llu lies outside of the file",
                           (unsigned long long)(uint64_t)(table.at - file->bytes - 16),
                           (unsigned long long)feature);
        feature_read(file, feature, cursor_at(file, section.offset, section.bytes));
    }
    return true;
}

/* ---- the whole */

static bool head_read(struct perf_file *file, struct err *err)
{
    struct cursor cursor = cursor_at(file, 16, HEADER_BYTES - 16);
    uint64_t each = cursor_u64(&cursor);
    struct section attrs = {.offset = cursor_u64(&cursor)};
    attrs.bytes = cursor_u64(&cursor);
    struct section data = {.offset = cursor_u64(&cursor)};
    data.bytes = cursor_u64(&cursor);
    cursor_skip(&cursor, sizeof(struct section)); /* event types, no longer used */
    if (!section_inside(file, &attrs))
        return err_set(err, ERR_FORMAT, "offset 24: events lie outside of the file");
    if (data.offset > file->size || data.offset < HEADER_BYTES)
        return err_set(err, ERR_FORMAT, "offset 40: records lie outside of the file");
    if (data.bytes > file->size - data.offset)
        return err_set(err, ERR_FORMAT, "offset 48: the file ends at %llu, before its last record",
                       (unsigned long long)file->size);
    /* 0 is what perf writes first: it was killed before it could tell. */
    if (!data.bytes)
        data.bytes = file->size - data.offset;
    file->data = data.offset;
    file->data_end = data.offset + data.bytes;
    return attrs_read(file, &attrs, each, err) && features_read(file, &cursor, err);
}

/* Its size stands in it; ids follow. */
static bool attr_record_read(struct perf_file *file, struct cursor cursor)
{
    struct cursor head = cursor;
    cursor_skip(&head, 4);
    uint32_t bytes = cursor_u32(&head);
    if (bytes < ATTR_BYTES_LEAST || bytes > cursor_room(&cursor))
        return false;
    struct cursor attr = {cursor.at, cursor.at + bytes, false};
    struct perf_kind kind = attr_read(&attr);
    cursor_skip(&cursor, bytes);
    kind_add(file, &kind, &cursor);
    return true;
}

/* Of a file that went through a pipe: events and features are records, too. */
static bool pipe_read(struct perf_file *file, struct err *err)
{
    struct perf_span span;
    uint64_t offset = file->data;
    while (perf_file_next(file, &offset, &span, err)) {
        struct cursor cursor =
            cursor_at(file, span.offset + RECORD_BYTES, span.bytes - RECORD_BYTES);
        if (span.type == RECORD_ATTR) {
            if (!attr_record_read(file, cursor))
                return err_set(err, ERR_FORMAT, "offset %llu: an event that is cut off",
                               (unsigned long long)span.offset);
        } else if (span.type == RECORD_FEATURE) {
            uint64_t feature = cursor_u64(&cursor);
            feature_read(file, feature, cursor);
        } else if (span.type == RECORD_BUILD_ID) {
            built_add(file, span.misc, cursor);
        }
    }
    return err->kind == ERR_NONE;
}

/* From here on the records are those that were compressed, and no part of the file. */
static bool records_unpack(struct perf_file *file, struct err *err)
{
    if (!perf_unpack(&file->unpacked, file->bytes + file->data, file->data_end - file->data,
                     file->data, err))
        return false;
    if (file->unpacked.n) {
        file->bytes = file->unpacked.at;
        file->data = 0;
        file->size = file->data_end = file->unpacked.n;
    }
    return true;
}

static bool direct_open(struct perf_file *file, struct err *err)
{
    return head_read(file, err) && records_unpack(file, err);
}

static bool pipe_open(struct perf_file *file, struct err *err)
{
    file->data = PIPE_HEADER_BYTES;
    file->data_end = file->size;
    return records_unpack(file, err) && pipe_read(file, err);
}

bool perf_file_open(struct perf_file *file, const void *bytes, size_t n, struct err *err)
{
    static const char magic[] = "PERFILE2", turned[] = "2ELIFREP";
    uint64_t head = 0;
    *file = (struct perf_file){.bytes = bytes, .size = n};
    if (n >= 8 && memcmp(bytes, turned, 8) == 0)
        return err_set(err, ERR_FORMAT, "perf.data of a big-endian machine");
    if (n < PIPE_HEADER_BYTES || memcmp(bytes, magic, 8) != 0)
        return err_set(err, ERR_FORMAT, "not a file of perf");
    memcpy(&head, file->bytes + 8, sizeof head);
    if (head != PIPE_HEADER_BYTES && (head != HEADER_BYTES || n < HEADER_BYTES))
        return err_set(err, ERR_FORMAT, "offset 8: a head of %llu bytes", (unsigned long long)head);
    map_init(&file->ids, sizeof(uint64_t));
    if (!(head == PIPE_HEADER_BYTES ? pipe_open(file, err) : direct_open(file, err))) {
        perf_file_release(file);
        return false;
    }
    return true;
}

void perf_file_release(struct perf_file *file)
{
    map_release(&file->ids);
    vec_release(&file->kinds);
    vec_release(&file->of_ids);
    vec_release(&file->pmus);
    vec_release(&file->builts);
    vec_release(&file->unpacked);
    arena_release(&file->arena);
}

const char *perf_file_pmu(const struct perf_file *file, uint32_t type)
{
    for (size_t i = 0; i < file->pmus.n; i++)
        if (file->pmus.at[i].type == type)
            return file->pmus.at[i].name;
    return NULL;
}

bool perf_file_next(const struct perf_file *file, uint64_t *offset, struct perf_span *ret_span,
                    struct err *err)
{
    uint64_t room = file->data_end - *offset;
    err->kind = ERR_NONE;
    if (!room)
        return false;
    struct perf_span span = {.offset = *offset};
    struct cursor cursor = cursor_at(file, *offset, room);
    span.type = cursor_u32(&cursor);
    uint32_t both = cursor_u32(&cursor);
    span.misc = both & 0xFFFF;
    span.bytes = both >> 16;
    if (cursor.bad || span.bytes < RECORD_BYTES || span.bytes > room)
        return err_set(err, ERR_FORMAT, "offset %llu: a record of %u bytes, %llu before the end",
                       (unsigned long long)*offset, span.bytes, (unsigned long long)room);
    if (span.type == PERF_COMPRESSED || span.type == PERF_COMPRESSED_PADDED)
        return err_set(err, ERR_FORMAT, "offset %llu: compressed records within compressed ones",
                       (unsigned long long)*offset);
    if (span.type == RECORD_AUXTRACE) {
        span.beyond = cursor_u64(&cursor);
        if (span.bytes < RECORD_BYTES + 40 || span.beyond > room - span.bytes)
            return err_set(err, ERR_FORMAT,
                           "offset %llu: a trace of %llu bytes, %llu before the end",
                           (unsigned long long)*offset, (unsigned long long)span.beyond,
                           (unsigned long long)room);
    }
    *offset += span.bytes + span.beyond;
    *ret_span = span;
    return true;
}

#include "program/names/jit_dump.h"

#include "base/err.h"
#include "base/scope.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DUMP_MAGIC = 0x4a695444,
    DUMP_VERSION = 1,
    DUMP_HEADER = 40,
    MACHINE_X86_64 = 62,
    RECORD_LOAD = 0,
    RECORD_MOVE = 1,
    RECORD_LINES = 2,
    RECORD_CLOSE = 3,
};

struct record_head {
    uint32_t id, bytes;
    uint64_t time;
};
struct record_load {
    uint32_t pid, tid;
    uint64_t vma, start, bytes, index;
};
struct record_move {
    uint32_t pid, tid;
    uint64_t vma, from, to, bytes, index;
};

/* ---- records */

struct reading {
    struct jit_dump *dump;
    const char *path;
    struct bytes_left {
        const uint8_t *at;
        size_t n;
    } left;                  /* of the record */
    struct bytes_left lines; /* the record of the code that comes next; at NULL: none */
    bool shifted, seen;      /* see V8_SHIFT */
};

static bool take(struct reading *reading, void *to, size_t n)
{
    if (n > reading->left.n)
        return false;
    memcpy(to, reading->left.at, n);
    reading->left.at += n;
    reading->left.n -= n;
    return true;
}

/* NULL: it does not end. */
static const char *take_text(struct reading *reading)
{
    const uint8_t *end = memchr(reading->left.at, 0, reading->left.n);
    if (!end)
        return NULL;
    const char *text = (const char *)reading->left.at;
    reading->left.n -= (size_t)(end - reading->left.at) + 1;
    reading->left.at = end + 1;
    return text;
}

struct entry {
    uint64_t at;
    uint32_t line, column;
};

/* "JS:*sum /home/me/a.js:2:15" -> "/home/me/a.js"; NULL: the name has none. */
static const char *file_in_name(struct reading *reading, const char *name)
{
    const char *space = strrchr(name, ' '), *end = name + strlen(name);
    for (int i = 0; i < 2 && space; i++) {
        const char *digits = end;
        while (digits > space && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        if (digits == end || digits[-1] != ':')
            return NULL;
        end = digits - 1;
    }
    return space && end > space + 1
               ? arena_string_n(&reading->dump->arena, space + 1, (size_t)(end - space - 1))
               : NULL;
}

static bool is_path(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at == 0x7f)
            return false;
    return *text;
}

/* V8 11.3 (node 20) has freed the name of the file by the time it writes it, zeros and all. What
 * comes next is found by the length that the name had. */
static bool entry_take(struct reading *reading, const char *known, struct jit_line *ret)
{
    struct entry entry;
    const char *file = known;
    if (!take(reading, &entry, sizeof entry))
        return false;
    size_t n = known ? strlen(known) : 0;
    if (known && n < reading->left.n && !reading->left.at[n]) {
        reading->left.at += n + 1;
        reading->left.n -= n + 1;
    } else if (!(file = take_text(reading))) {
        return false;
    }
    *ret = (struct jit_line){entry.at, file, entry.line};
    return true;
}

/* Adds the lines that were announced for the code, all or none of them. */
static void lines_take(struct reading *reading, struct jit_code *code)
{
    struct bytes_left rest = reading->left;
    struct jit_lines *lines = &reading->dump->lines;
    struct {
        uint64_t start, n;
    } head;
    bool good = true;
    const char *known = file_in_name(reading, code->name), *file = "";
    code->first_line = lines->n;
    reading->left = reading->lines;
    if (!reading->lines.at || !take(reading, &head, sizeof head) || head.start != code->start)
        head.n = 0;
    for (uint64_t i = 0; good && i < head.n; i++) {
        struct jit_line line = {0};
        good = entry_take(reading, known, &line);
        if (good && strcmp(line.file, "\xff") == 0) /* the file of the entry before */
            line.file = file;
        good = good && is_path(line.file);
        if (good)
            *vec_push(lines) = line;
        file = line.file;
    }
    if (!good)
        lines->n = code->first_line;
    code->n_lines = lines->n - code->first_line;
    reading->left = rest;
    reading->lines.at = NULL;
}

/* V8 adds the size of the ELF header that perf would put before the code to the address of each
 * line. Others do not, and have a line at the first byte of some code. */
enum { V8_SHIFT = 0x40 };

static void shift_note(struct reading *reading, const struct jit_code *code)
{
    uint64_t first = reading->dump->lines.at[code->first_line].at;
    reading->shifted = (!reading->seen || reading->shifted) && first >= code->start &&
                       first - code->start >= V8_SHIFT;
    reading->seen = true;
}

static void lines_shift(struct reading *reading)
{
    for (size_t i = 0; reading->shifted && i < reading->dump->lines.n; i++)
        reading->dump->lines.at[i].at -= V8_SHIFT;
}

static bool load_read(struct reading *reading)
{
    struct record_load load;
    const char *name;
    if (!take(reading, &load, sizeof load) || !(name = take_text(reading)) ||
        load.start + load.bytes < load.start)
        return false;
    bool whole = load.bytes && load.bytes <= reading->left.n;
    struct jit_code code = {.start = load.start,
                            .bytes = load.bytes,
                            .code = whole ? reading->left.at : NULL,
                            .name = *name ? name : "[no name]"};
    lines_take(reading, &code);
    if (code.n_lines)
        shift_note(reading, &code);
    *vec_push(reading->dump) = code;
    return true;
}

/* The lines of moved code were those of the old place. */
static bool move_read(struct reading *reading)
{
    struct record_move move;
    struct jit_dump *dump = reading->dump;
    if (!take(reading, &move, sizeof move) || move.to + move.bytes < move.to)
        return false;
    for (size_t i = dump->n; i-- > 0;)
        if (dump->at[i].start == move.from) {
            struct jit_code moved = dump->at[i];
            moved.start = move.to;
            moved.n_lines = 0;
            *vec_push(dump) = moved;
            return true;
        }
    return true;
}

static bool record_read(struct reading *reading, uint32_t id)
{
    switch (id) {
    case RECORD_LOAD: return load_read(reading);
    case RECORD_MOVE: return move_read(reading);
    case RECORD_LINES: reading->lines = reading->left; return true;
    default: return true; /* unwinding, and what is not known */
    }
}

static void records_read(struct reading *reading, size_t at)
{
    const struct bytes *text = &reading->dump->text;
    struct record_head head;
    while (at + sizeof head <= text->n) {
        memcpy(&head, text->at + at, sizeof head);
        bool inside = head.bytes >= sizeof head && head.bytes <= text->n - at;
        reading->left =
            (struct bytes_left){text->at + at + sizeof head, inside ? head.bytes - sizeof head : 0};
        if (head.id == RECORD_CLOSE && inside)
            return;
        if (!inside || !record_read(reading, head.id)) {
            reading->dump->bad =
                arena_format(&reading->dump->arena, "%s: the record at byte %zu %s", reading->path,
                             at, inside ? "makes no sense" : "does not end");
            return;
        }
        at += head.bytes;
    }
}

bool jit_dump_parse(struct jit_dump *dump, const char *path, struct bytes text, struct err *err)
{
    uint32_t head[4] = {0};
    *dump = (struct jit_dump){.text = text};
    if (text.n >= DUMP_HEADER)
        memcpy(head, text.at, sizeof head);
    bool known = head[0] == DUMP_MAGIC && head[1] == DUMP_VERSION && head[2] >= DUMP_HEADER &&
                 head[2] <= text.n;
    if (!known || head[3] != MACHINE_X86_64) {
        jit_dump_release(dump);
        return err_set(err, ERR_FORMAT, "%s: %s", path,
                       known ? "a dump of code of another machine" : "not a dump of JIT code");
    }
    struct reading reading = {.dump = dump, .path = path};
    records_read(&reading, head[2]);
    lines_shift(&reading);
    return true;
}

/* ---- the file */

bool jit_dump_read(struct jit_dump *dump, const char *path, struct err *err)
{
    enum { BYTES_MAX = 1 << 30 };
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat stat;
    struct bytes text = {0};
    if (fd < 0 || fstat(fd, &stat) < 0)
        return err_errno(err, "%s: cannot open", path);
    if (!S_ISREG(stat.st_mode) || stat.st_size > BYTES_MAX)
        return err_set(err, ERR_FORMAT, "%s: %s", path,
                       S_ISREG(stat.st_mode) ? "more than 1 GiB" : "not a regular file");
    bytes_reserve(&text, (size_t)stat.st_size + 1);
    for (ssize_t got = 1; got > 0 && text.n < (size_t)stat.st_size; text.n += (size_t)got) {
        got = read(fd, text.at + text.n, (size_t)stat.st_size - text.n);
        if (got < 0) {
            vec_release(&text);
            return err_errno(err, "%s: cannot read", path);
        }
    }
    return jit_dump_parse(dump, path, text, err);
}

void jit_dump_release(struct jit_dump *dump)
{
    vec_release(dump);
    vec_release(&dump->lines);
    vec_release(&dump->text);
    arena_release(&dump->arena);
}

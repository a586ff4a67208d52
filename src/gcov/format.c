#include "gcov/format.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum { FILE_BYTES_MAX = 1 << 30 };

/* "B22*": a letter for tens of the major version, its last digit, the minor one, and a status. */
static unsigned version_major(uint32_t version)
{
    unsigned tens = version >> 24, ones = version >> 16 & 0xFF;
    if (tens < 'A' || tens > 'Z' || ones < '0' || ones > '9')
        return 0;
    return (tens - 'A') * 10 + (ones - '0');
}

struct gcov_version_name gcov_version_name(uint32_t version)
{
    struct gcov_version_name name;
    unsigned major = version_major(version), minor = version >> 8 & 0xFF;
    if (major && minor >= '0' && minor <= '9')
        snprintf(name.text, sizeof name.text, "%u.%u", major, minor - '0');
    else
        snprintf(name.text, sizeof name.text, "0x%08x", (unsigned)version);
    return name;
}

bool gcov_head_read(struct cursor *cursor, uint32_t magic, struct gcov_head *ret_head,
                    struct err *err)
{
    const char *what = magic == GCOV_MAGIC_NOTES ? "notes (.gcno)" : "counts (.gcda)";
    uint32_t found = cursor_u32(cursor);
    if (found == __builtin_bswap32(magic))
        return err_set(err, ERR_FORMAT, "written on a machine of the other byte order");
    if (cursor->bad || found != magic)
        return err_set(err, ERR_FORMAT, "is no file of gcc's %s", what);
    struct gcov_head head = {.version = cursor_u32(cursor), .stamp = cursor_u32(cursor)};
    head.major = version_major(head.version);
    if (head.major < GCOV_OLDEST)
        return err_set(err, ERR_FORMAT, "of gcc %s; those of gcc %d and later are read",
                       gcov_version_name(head.version).text, GCOV_OLDEST);
    head.has_checksum = head.major >= 12;
    head.unit = head.major >= 12 ? 1 : 4;
    head.checksum = head.has_checksum ? cursor_u32(cursor) : 0;
    if (cursor->bad)
        return err_set(err, ERR_FORMAT, "ends inside of its header");
    *ret_head = head;
    return true;
}

bool gcov_record_next(struct cursor *cursor, const struct gcov_head *head, const uint8_t *start,
                      struct gcov_record *ret_record, struct err *err)
{
    size_t at = (size_t)(cursor->at - start);
    err->kind = ERR_NONE;
    if (!cursor_room(cursor))
        return false;
    struct gcov_record record = {.tag = cursor_u32(cursor)};
    if (!cursor->bad && !record.tag) /* the end, as libgcov writes it */
        return false;
    int64_t length = (int32_t)cursor_u32(cursor);
    record.zeros = length < 0;
    record.bytes = (uint64_t)(length < 0 ? -length : length) * head->unit;
    uint64_t stored = record.zeros ? 0 : record.bytes;
    if (cursor->bad || stored > cursor_room(cursor))
        return err_set(err, ERR_FORMAT, "record 0x%08x at byte %zu: the file ends first",
                       (unsigned)record.tag, at);
    record.cursor = (struct cursor){.at = cursor->at, .end = cursor->at + stored};
    cursor_skip(cursor, stored);
    *ret_record = record;
    return true;
}

const char *gcov_string(struct cursor *cursor, const struct gcov_head *head)
{
    uint64_t bytes = (uint64_t)cursor_u32(cursor) * head->unit;
    const uint8_t *text = cursor->at;
    if (!bytes || !cursor_has(cursor, bytes))
        return NULL;
    cursor_skip(cursor, bytes);
    if (text[bytes - 1]) {
        cursor->bad = true;
        return NULL;
    }
    return (const char *)text;
}

uint8_t *gcov_file_read(const char *path, size_t *ret_n, struct err *err)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) < 0) {
        err_errno(err, "%s", path);
        return NULL;
    }
    if (!S_ISREG(stat.st_mode) || stat.st_size > FILE_BYTES_MAX) {
        err_set(err, ERR_FORMAT, "%s: no regular file, or too large", path);
        return NULL;
    }
    size_t size = (size_t)stat.st_size, n = 0;
    uint8_t *bytes = mem_alloc(size + 1);
    while (n < size) {
        ssize_t got = read(fd, bytes + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (n < size) {
        err_set(err, ERR_SYSTEM, "%s: cannot be read whole", path);
        mem_free(bytes);
        return NULL;
    }
    *ret_n = n;
    return bytes;
}

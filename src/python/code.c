#include "python/code.h"

/* ---- strings */

enum {
    STRING_LENGTH = 16,
    STRING_STATE = 32,
    BYTES_SIZE = 16,
    BYTES_AT = 32,
    TEXT_CHUNK = 64, /* characters read at once */
};

static uint32_t utf8_put(uint8_t *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (uint8_t)(0xc0 | c >> 6);
        to[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (uint8_t)(0xe0 | c >> 12);
        to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        to[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (uint8_t)(0xf0 | (c >> 18 & 7));
    to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    to[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

static uint32_t character(const uint8_t *from, uint32_t width)
{
    uint32_t c = from[0];
    for (uint32_t i = 1; i < width; i++)
        c |= (uint32_t)from[i] << 8 * i;
    return c;
}

struct text {
    uint64_t at, length; /* characters */
    uint32_t width;      /* bytes of each */
};

static bool text_find(const struct python_layout *layout, const struct python_memory *memory,
                      uint64_t string, struct text *ret)
{
    uint32_t state;
    if (!string || !python_read(memory, string + STRING_LENGTH, &ret->length, 8) ||
        !python_read(memory, string + STRING_STATE, &state, sizeof state))
        return false;
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    ret->width = state >> 2 & 7;
    ret->at = string + (ascii ? layout->ascii_bytes : layout->compact_bytes);
    return compact && (ret->width == 1 || ret->width == 2 || ret->width == 4);
}

/* Returns the bytes of its UTF-8 text, at most `most`; 0: none. */
static uint32_t text_read(const struct python_layout *layout, const struct python_memory *memory,
                          uint64_t string, uint8_t *to, uint32_t most)
{
    struct text text;
    uint8_t chunk[TEXT_CHUNK * 4];
    uint32_t n = 0;
    if (!text_find(layout, memory, string, &text))
        return 0;
    for (uint64_t done = 0; done < text.length;) {
        uint64_t some = text.length - done < TEXT_CHUNK ? text.length - done : TEXT_CHUNK;
        if (!python_read(memory, text.at + done * text.width, chunk, some * text.width))
            return 0;
        for (uint64_t i = 0; i < some; i++) {
            if (n + 4 > most)
                return n;
            uint32_t c = character(chunk + i * text.width, text.width);
            n += utf8_put(to + n, c < ' ' ? '?' : c);
        }
        done += some;
    }
    return n;
}

/* ---- code objects */

static uint64_t code_word(const struct python_memory *memory, uint64_t code, uint32_t at)
{
    return python_word(memory, code + at);
}

/* Bytes of co_linetable; 0: it is not there, or too long. */
static uint32_t lines_read(const struct python_memory *memory, uint64_t lines, uint8_t *to)
{
    uint64_t n = lines ? python_word(memory, lines + BYTES_SIZE) : 0;
    if (n > PYTHON_LINES_MAX || !python_read(memory, lines + BYTES_AT, to, n))
        return 0;
    return (uint32_t)n;
}

bool python_code(const struct python *python, const struct python_memory *memory,
                 const struct python_frame *frame, void *to)
{
    const struct python_layout *layout = &python->layout;
    struct event_python *event = to;
    uint8_t *at = (uint8_t *)(event + 1);
    int32_t first_line;
    if (!python_read(memory, frame->code + layout->first_line, &first_line, sizeof first_line))
        return false;
    *event = (struct event_python){.code = frame->code,
                                   .print = frame->print,
                                   .first_line = first_line > 0 ? (uint32_t)first_line : 0};
    event->name_bytes = (uint16_t)text_read(
        layout, memory, code_word(memory, frame->code, layout->name), at, PYTHON_NAME_MAX);
    event->file_bytes =
        (uint16_t)text_read(layout, memory, code_word(memory, frame->code, layout->file),
                            at + event->name_bytes, PYTHON_FILE_MAX);
    event->lines_bytes = lines_read(memory, code_word(memory, frame->code, layout->lines),
                                    at + event->name_bytes + event->file_bytes);
    uint32_t bytes = event->name_bytes + (uint32_t)event->file_bytes + event->lines_bytes;
    event->bytes = (uint32_t)sizeof *event + ((bytes + 7) & ~7u);
    for (uint32_t i = bytes; i < event->bytes - sizeof *event; i++)
        at[i] = 0;
    return event->name_bytes > 0;
}

/* ---- lines */

struct table {
    const uint8_t *at, *end;
};

/* Six bits a byte, lowest first; 64: another follows. */
static uint32_t number(struct table *table)
{
    uint32_t value = 0;
    for (uint32_t shift = 0; table->at < table->end && shift < 30; shift += 6) {
        uint8_t byte = *table->at++;
        value |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return value;
}

static int32_t signed_number(struct table *table)
{
    uint32_t value = number(table);
    return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

enum { LINES_ONE = 10, LINES_NO_COLUMNS = 13, LINES_LONG, LINES_NONE, UNIT_BYTES = 2 };

static void columns_skip(struct table *table, uint32_t bytes)
{
    while (bytes-- && table->at < table->end)
        table->at++;
}

/* How far the line is from that of the entry before. */
static int32_t entry_step(struct table *table, uint32_t kind)
{
    int32_t step = 0;
    switch (kind) {
    case LINES_NONE: break;
    case LINES_LONG:
        step = signed_number(table);
        number(table);
        number(table);
        number(table);
        break;
    case LINES_NO_COLUMNS: step = signed_number(table); break;
    default:
        step = kind >= LINES_ONE ? (int32_t)kind - LINES_ONE : 0;
        columns_skip(table, kind >= LINES_ONE ? 2 : 1);
    }
    return step;
}

uint32_t python_line(const uint8_t *lines, uint32_t bytes, uint32_t first_line, uint32_t at)
{
    struct table table = {lines, lines + bytes};
    uint32_t line = first_line, end = 0;
    while (table.at < table.end) {
        uint8_t first = *table.at++;
        uint32_t kind = first >> 3 & 15;
        line += (uint32_t)entry_step(&table, kind);
        end += UNIT_BYTES * (1u + (first & 7));
        if (at < end)
            return kind == LINES_NONE || line > INT32_MAX ? 0 : line;
    }
    return 0;
}

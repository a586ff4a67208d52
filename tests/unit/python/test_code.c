/* Frames, texts and lines of a made-up CPython 3.11 and 3.12 in memory. */
#include "python/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { BASE = 0x10000, BYTES = 1 << 16, TYPE = 0x7000 };
static uint8_t bytes[BYTES];
static uint32_t reads;

static bool read_fake(void *closure, uint64_t from, void *to, uint64_t n)
{
    (void)closure;
    reads++;
    if (from < BASE || from - BASE > BYTES || n > BYTES - (from - BASE))
        return false;
    memcpy(to, bytes + (from - BASE), n);
    return true;
}

static const struct python_memory memory = {read_fake, NULL};

static void put(uint64_t at, uint64_t value)
{
    memcpy(bytes + (at - BASE), &value, sizeof value);
}

static void put_text(uint64_t at, const char *text, uint32_t header, bool ascii, uint32_t width)
{
    put(at + 16, strlen(text) / width);
    put(at + 32, 1u << 5 | (ascii ? 1u << 6 : 0) | width << 2);
    memcpy(bytes + (at + header - BASE), text, strlen(text));
}

enum {
    RUNTIME = BASE,
    INTERPRETER = BASE + 0x800,
    THREAD = BASE + 0x1000,
    OTHER = BASE + 0x1400,
    CFRAME = BASE + 0x1800,
    CFRAME_OUT = BASE + 0x1900,
    FRAMES = BASE + 0x2000,
    CODES = BASE + 0x3000,
    TEXTS = BASE + 0x5000,
};

static struct python python;

static uint64_t frame_at(int i)
{
    return FRAMES + 0x100 * (uint64_t)i;
}

static uint64_t code_at(int i)
{
    return CODES + 0x200 * (uint64_t)i;
}

static void begin(uint64_t version)
{
    memset(bytes, 0, sizeof bytes);
    python = (struct python){.runtime = RUNTIME, .code_type = TYPE, .version = version};
    assert_true(python_begin(&python, &memory));
    const struct python_layout *layout = &python.layout;
    put(RUNTIME + layout->interpreters, INTERPRETER);
    put(INTERPRETER + layout->threads, OTHER);
    put(OTHER + layout->thread_next, THREAD);
    put(OTHER + layout->thread_id, 0x111);
    put(OTHER + layout->native_id, 11);
    put(THREAD + layout->thread_id, 0x222);
    put(THREAD + layout->native_id, 22);
    put(THREAD + layout->thread_frame, CFRAME);
    for (int i = 0; i < 4; i++) {
        put(frame_at(i) + layout->code, code_at(i));
        put(frame_at(i) + layout->previous, i < 3 ? frame_at(i + 1) : 0);
        put(frame_at(i) + layout->instruction, code_at(i) + layout->instructions + 4);
        put(code_at(i) + 8, TYPE);
        put(code_at(i) + layout->name, TEXTS + 0x100 * (uint64_t)i);
    }
}

static void test_3_11(void **state)
{
    (void)state;
    struct python_frame frames[8];
    bool whole;
    begin(0x030b07f0);
    put(CFRAME + python.layout.cframe_frame, frame_at(0));
    put(CFRAME + python.layout.cframe_previous, CFRAME_OUT);
    bytes[frame_at(1) + python.layout.entry - BASE] = 1;
    bytes[frame_at(3) + python.layout.entry - BASE] = 1;
    assert_int_equal(python_thread(&python, &memory, PYTHON_BY_PTHREAD, 0x222), THREAD);
    assert_int_equal(python_thread(&python, &memory, PYTHON_BY_TID, 11), OTHER);
    assert_int_equal(python_thread(&python, &memory, PYTHON_BY_TID, 33), 0);
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 8, &whole), 4);
    assert_true(whole);
    assert_int_equal(frames[0].code, code_at(0));
    assert_int_equal(frames[0].at, 4);
    assert_int_equal(frames[0].entered, 0);
    assert_int_equal(frames[1].entered, CFRAME);
    assert_int_equal(frames[3].entered, CFRAME_OUT);
    assert_int_not_equal(frames[0].print, frames[1].print);
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 2, &whole), 2);
    assert_false(whole);
}

/* A loop has a frame of its own, which runs nothing. */
static void test_3_12(void **state)
{
    (void)state;
    struct python_frame frames[8];
    bool whole;
    begin(0x030c01f0);
    put(CFRAME + python.layout.cframe_frame, frame_at(0));
    bytes[frame_at(2) + python.layout.owner - BASE] = 3;
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 8, &whole), 3);
    assert_true(whole);
    assert_int_equal(frames[1].entered, frame_at(2));
    assert_int_equal(frames[2].code, code_at(3));
}

static void test_damaged(void **state)
{
    (void)state;
    struct python_frame frames[8];
    bool whole;
    begin(0x030b07f0);
    put(CFRAME + python.layout.cframe_frame, frame_at(0));
    put(code_at(2) + 8, TYPE + 8); /* no code object */
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 8, &whole), 2);
    assert_false(whole);
    put(frame_at(1) + python.layout.previous, 0x3); /* nowhere */
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 8, &whole), 2);
    assert_false(whole);
    put(frame_at(1) + python.layout.previous, frame_at(0)); /* in circles */
    reads = 0;
    assert_int_equal(python_frames(&python, &memory, THREAD, frames, 8, &whole), 8);
    assert_false(whole);
    put(OTHER + python.layout.thread_next, OTHER);
    assert_int_equal(python_thread(&python, &memory, PYTHON_BY_TID, 33), 0);
    struct python none = {.runtime = RUNTIME, .version = 0x030a00f0};
    assert_false(python_begin(&none, &memory));
    none.version = 0x030d00f0; /* without what 3.13 says of itself */
    assert_false(python_begin(&none, &memory));
}

static void test_code(void **state)
{
    (void)state;
    static _Alignas(8) uint8_t room[PYTHON_CODE_ROOM];
    struct event_python *event = (void *)room;
    begin(0x030b07f0);
    const struct python_layout *layout = &python.layout;
    uint64_t file = TEXTS + 0x800, lines = TEXTS + 0xa00;
    uint32_t first = 7;
    memcpy(bytes + (code_at(0) + layout->first_line - BASE), &first, sizeof first);
    put(code_at(0) + layout->file, file);
    put(code_at(0) + layout->lines, lines);
    put_text(TEXTS, "fib", layout->ascii_bytes, true, 1);
    put_text(file, "\xfc\n.py", layout->compact_bytes, false, 1);
    put(lines + 16, 2);
    memcpy(bytes + (lines + 32 - BASE), "\xf8\x80", 2);
    struct python_frame frame = {.code = code_at(0), .print = 5};
    assert_true(python_code(&python, &memory, &frame, room));
    assert_int_equal(event->first_line, 7);
    assert_int_equal(event->print, 5);
    assert_int_equal(event->bytes % 8, 0);
    assert_int_equal(event->lines_bytes, 2);
    const char *texts = (const char *)(event + 1);
    assert_int_equal(event->name_bytes, 3);
    assert_memory_equal(texts, "fib", 3);
    assert_int_equal(event->file_bytes, 6); /* UTF-8, and nothing that moves a cursor */
    assert_memory_equal(texts + 3, "\xc3\xbc?.py", 6);
    put(code_at(0) + layout->name, 0x8);
    assert_false(python_code(&python, &memory, &frame, room));
}

/* The tables are CPython's own: co_linetable of
 *   def fib(n):            # line 2
 *       if n < 2:
 *           return n
 *       return fib(n-1) + fib(n-2)                                                             */
static void test_lines(void **state)
{
    (void)state;
    static const uint8_t table[] = {0x80, 0x00, 0xd8, 0x07, 0x08, 0x88, 0x31, 0x82,
                                    0x75, 0x80, 0x75, 0xd8, 0x0f, 0x10, 0x88, 0x08};
    assert_int_equal(python_line(table, sizeof table, 2, 0), 2);
    assert_int_equal(python_line(table, sizeof table, 2, 2), 3);
    assert_int_equal(python_line(table, sizeof table, 2, 4), 3);
    assert_int_equal(python_line(table, sizeof table, 2, 16), 4);
    assert_int_equal(python_line(table, sizeof table, 2, 1000), 0);
    assert_int_equal(python_line(table, 0, 2, 0), 0);
    static const uint8_t far[] = {0xf0, 0x42, 0x01, 0x00, 0x00, 0x00, 0xf8};
    assert_int_equal(python_line(far, sizeof far, 100, 0), 133);
    assert_int_equal(python_line(far, sizeof far, 100, 2), 0);
    for (uint32_t n = 0; n < sizeof far; n++) /* cut anywhere */
        python_line(far, n, 1, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_3_11), cmocka_unit_test(test_3_12),
                                       cmocka_unit_test(test_damaged), cmocka_unit_test(test_code),
                                       cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

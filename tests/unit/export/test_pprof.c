/* The message is taken apart here by a reader that shares nothing with the writer. */
#include "sample.h"

#include <zlib.h>

static uint8_t message[1 << 16];
static size_t message_n;

static void unpack(const char *packed, size_t n)
{
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)packed, .avail_in = (unsigned)n};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_out = message;
    stream.avail_out = sizeof message;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    message_n = stream.total_out;
    inflateEnd(&stream);
}

static uint64_t number(const uint8_t **at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return value;
    }
}

struct field {
    uint64_t id, value; /* value: or how many bytes */
    const uint8_t *bytes;
};

static bool next(const uint8_t **at, const uint8_t *end, struct field *field)
{
    if (*at >= end)
        return false;
    uint64_t tag = number(at);
    field->id = tag >> 3;
    field->value = number(at);
    field->bytes = tag & 2 ? *at : NULL;
    if (tag & 2)
        *at += field->value;
    assert_true(*at <= end);
    return true;
}

/* The nth field of that id in a message; what it has is what the caller asks for. */
static struct field find(const uint8_t *at, size_t n, uint64_t id, unsigned nth)
{
    struct field field;
    const uint8_t *end = at + n;
    while (next(&at, end, &field))
        if (field.id == id && nth-- == 0)
            return field;
    return (struct field){0};
}

static const char *string_at(uint64_t index)
{
    static char text[256];
    struct field field = find(message, message_n, 6, (unsigned)index);
    assert_non_null(field.bytes);
    snprintf(text, sizeof text, "%.*s", (int)field.value, (const char *)field.bytes);
    return text;
}

static const char *function_name(const uint8_t *line, size_t n)
{
    uint64_t id = find(line, n, 1, 0).value;
    struct field function = find(message, message_n, 5, (unsigned)id - 1);
    assert_int_equal(find(function.bytes, function.value, 1, 0).value, id);
    return string_at(find(function.bytes, function.value, 2, 0).value);
}

static const char *location_name(uint64_t id)
{
    struct field location = find(message, message_n, 4, (unsigned)id - 1);
    assert_int_equal(find(location.bytes, location.value, 1, 0).value, id);
    struct field line = find(location.bytes, location.value, 4, 0);
    return function_name(line.bytes, line.value);
}

static void samples_are_stacks(void **state)
{
    (void)state;
    struct profile profile;
    size_t n;
    sample(&profile);
    char *packed = exported("pprof", &profile, by_time(), &n);
    unpack(packed, n);
    assert_string_equal(string_at(0), "");
    struct field type = find(message, message_n, 1, 0);
    assert_string_equal(string_at(find(type.bytes, type.value, 1, 0).value), "cpu");
    assert_string_equal(string_at(find(type.bytes, type.value, 2, 0).value), "nanoseconds");
    assert_int_equal(find(message, message_n, 12, 0).value, SAMPLE_TOTAL / 201);
    uint64_t sum = 0, deepest = 0;
    for (unsigned i = 0;; i++) {
        struct field one = find(message, message_n, 2, i);
        if (!one.bytes)
            break;
        struct field stack = find(one.bytes, one.value, 1, 0);
        struct field value = find(one.bytes, one.value, 2, 0);
        const uint8_t *at = value.bytes;
        uint64_t weight = number(&at);
        sum += weight;
        if (weight != 40000)
            continue;
        static const char *const names[] = {"read_", "operator;\n\"fib\"", "operator;\n\"fib\"",
                                            "main_"};
        at = stack.bytes;
        for (; at < stack.bytes + stack.value; deepest++)
            assert_string_equal(location_name(number(&at)), names[deepest]);
        struct field label = find(one.bytes, one.value, 3, 0);
        assert_string_equal(string_at(find(label.bytes, label.value, 1, 0).value), "thread");
        assert_string_equal(string_at(find(label.bytes, label.value, 2, 0).value), "one");
        label = find(one.bytes, one.value, 3, 2);
        assert_int_equal(find(label.bytes, label.value, 3, 0).value, 11);
    }
    assert_int_equal(sum, SAMPLE_TOTAL);
    assert_int_equal(deepest, 4);
    free(packed);
    profile_release(&profile);
}

/* Readers call the profile by its first mapping. */
static void the_program_is_mapped_first(void **state)
{
    (void)state;
    static const struct {
        const char *command, *first;
    } cases[] = {
        {"./program 1", "/b/program"}, {"'/b/program'", "/b/program"}, {"sh x", "/heavy.so"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile profile;
        size_t n;
        sample(&profile);
        profile.command = arena_string(&profile.arena, cases[i].command);
        profile_module(&profile, "/a/libgait.so", NULL, 0);
        profile_module(&profile, "/b/program", NULL, 0);
        uint32_t heavy = profile_module(&profile, "/heavy.so", NULL, 0);
        uint32_t thread = stacks_node(&profile.stacks, STACK_NONE, MODULE_NONE, 1);
        stacks_add(&profile.stacks, stacks_node(&profile.stacks, thread, heavy, 16), 0, 1 << 30);
        char *packed = exported("pprof", &profile, by_time(), &n);
        unpack(packed, n);
        struct field mapping = find(message, message_n, 3, 0);
        assert_string_equal(string_at(find(mapping.bytes, mapping.value, 5, 0).value),
                            cases[i].first);
        free(packed);
        profile_release(&profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_stacks),
                                       cmocka_unit_test(the_program_is_mapped_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

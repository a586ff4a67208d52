#include "analysis/values/value_type.h"

#include "program/binary.h"
#include "program/insn/decoded.h"
#include "analysis/counts/labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 1 << 20, STRING_LEAST = 4, STRING_SHOWN = 40, STRING_ROOM = 2 * STRING_SHOWN + 8 };

const char *value_type_name(enum value_type type)
{
    static const char *const names[VALUE_TYPES] = {
        [VALUE_INTEGER] = "integer", [VALUE_FLOAT] = "float", [VALUE_DOUBLE] = "double"};
    return names[type];
}

struct value_form value_form_of(const struct decoded *decoded, bool vector)
{
    struct value_form form = {VALUE_INTEGER, 8};
    for (int i = 0; i < decoded->instruction.operand_count_visible; i++) {
        const ZydisDecodedOperand *operand = &decoded->operands[i];
        if (vector && operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT32)
            return (struct value_form){VALUE_FLOAT, 4};
        if (vector && operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT64)
            return (struct value_form){VALUE_DOUBLE, 8};
    }
    uint32_t bits = decoded->instruction.operand_count_visible ? decoded->operands[0].size : 64;
    if (!vector && bits && bits < 64)
        form.bytes = (uint8_t)(bits / 8);
    return form;
}

static int64_t extended(uint64_t value, uint8_t bytes)
{
    int unused = 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

/* Small ones in decimal, of either sign; else hexadecimal. */
static const char *integer_text(char *text, size_t room, uint8_t bytes, uint64_t value)
{
    int64_t number = extended(value, bytes);
    if (number > -SMALL && number < SMALL)
        snprintf(text, room, "%" PRId64, number);
    else
        snprintf(text, room, "0x%" PRIx64, value);
    return text;
}

const char *value_text(struct value_form form, uint64_t value)
{
    static char text[64];
    float real;
    double wide;
    memcpy(&real, &value, sizeof real);
    memcpy(&wide, &value, sizeof wide);
    switch ((enum value_type)form.type) {
    case VALUE_FLOAT: snprintf(text, sizeof text, "%.7g", (double)real); return text;
    case VALUE_DOUBLE: snprintf(text, sizeof text, "%.15g", wide); return text;
    default: return integer_text(text, sizeof text, form.bytes, value);
    }
}

/* Its letters between quotes, those that would be taken for the end of it as C writes them. */
static void string_quote(const uint8_t *letters, size_t n, char text[STRING_ROOM])
{
    bool whole = n <= STRING_SHOWN;
    *text++ = '"';
    for (size_t i = 0; i < (whole ? n : STRING_SHOWN); i++) {
        if (letters[i] == '"' || letters[i] == '\\')
            *text++ = '\\';
        *text++ = (char)letters[i];
    }
    strcpy(text, whole ? "\"" : "\"...");
}

/* Letters from here up to a zero, as the file has them; false: it is no string. */
static bool string_at(const struct binary *binary, uint64_t at, char text[STRING_ROOM])
{
    size_t there = 0, n = 0;
    const uint8_t *bytes = image_bytes(&binary->image, (struct svma){at}, &there);
    while (bytes && n < there && bytes[n] >= ' ' && bytes[n] < 127)
        n++;
    if (!bytes || n < STRING_LEAST || n == there || bytes[n])
        return false;
    string_quote(bytes, n, text);
    return true;
}

/* A program that is linked to one place lies among numbers as programs count in. */
static bool is_fixed(const struct binary *binary)
{
    struct svma start;
    return image_to_svma(&binary->image, (struct foff){0}, &start) && start.v;
}

/* Into the middle of a function numbers point by accident. */
static const char *code_text(struct scene *scene, uint32_t module, uint64_t at, bool fixed)
{
    const char *place = address_text(scene, module, at);
    function_id function = scene_function_at(scene, module, at);
    const char *name =
        function == FUNCTION_NONE
            ? place
            : arena_format(&scene->arena, "%s (%s)",
                           name_text(scene, scene_function_name(scene, module, function)), place);
    bool start = function != FUNCTION_NONE &&
                 scene_binary(scene, module)->symbols.functions.at[function].start.v == at;
    return fixed && !start ? arena_format(&scene->arena, "%" PRIu64 ", or %s", at, name) : name;
}

const char *value_pointer_text(struct scene *scene, uint32_t module, uint64_t at)
{
    const struct binary *binary = scene_binary(scene, module);
    char string[STRING_ROOM];
    const char *place = address_text(scene, module, at);
    if (!binary)
        return place;
    if (image_executable(&binary->image, (struct svma){at}))
        return code_text(scene, module, at, is_fixed(binary));
    if (string_at(binary, at, string))
        return arena_format(&scene->arena, "%s (%s)", string, place);
    return is_fixed(binary) ? arena_format(&scene->arena, "%" PRIu64 ", or %s", at, place) : place;
}

#include "program/names/rust_path.h"

#include "program/names/punycode.h"
#include "program/names/text_out.h"

#include <ctype.h>
#include <stdio.h>

/* Where the reader is. After a failure nothing moves on, so callers need not look each time. */
struct reader {
    struct text_out *out;
    const char *text; /* behind "_R": back references count from here */
    size_t n, at;
    uint32_t lifetimes; /* bound by the binders around */
    unsigned depth;
    bool failed, silent;
};

/* Deeper ones are nobody's. */
enum { DEPTH_MAX = 200 };

static void path_read(struct reader *reader, bool value);
static void type_read(struct reader *reader);
static void const_read(struct reader *reader);

/* ---- small parts */

static void put(struct reader *reader, const char *text)
{
    if (!reader->silent && !reader->failed)
        text_put(reader->out, text);
}

static char peek(const struct reader *reader)
{
    return reader->at < reader->n && !reader->failed ? reader->text[reader->at] : 0;
}

static bool eat(struct reader *reader, char wanted)
{
    if (peek(reader) != wanted)
        return false;
    reader->at++;
    return true;
}

static char next(struct reader *reader)
{
    char c = peek(reader);
    if (c)
        reader->at++;
    else
        reader->failed = true;
    return c;
}

static bool enter(struct reader *reader)
{
    if (reader->depth >= DEPTH_MAX || reader->out->full)
        reader->failed = true;
    reader->depth++;
    return !reader->failed;
}

/* "_" is 0, "0_" is 1, and so on. */
static uint64_t base62_read(struct reader *reader)
{
    uint64_t value = 0;
    if (eat(reader, '_'))
        return 0;
    while (!reader->failed && !eat(reader, '_')) {
        char c = next(reader);
        unsigned digit = isdigit((unsigned char)c)   ? (unsigned)(c - '0')
                         : islower((unsigned char)c) ? (unsigned)(c - 'a') + 10
                         : isupper((unsigned char)c) ? (unsigned)(c - 'A') + 36
                                                     : 99;
        if (digit == 99 || value > UINT64_MAX / 62 - 62)
            reader->failed = true;
        else
            value = value * 62 + digit;
    }
    return value + 1;
}

static uint64_t tagged_base62_read(struct reader *reader, char tag)
{
    return eat(reader, tag) ? base62_read(reader) + 1 : 0;
}

static size_t decimal_read(struct reader *reader)
{
    size_t value = 0;
    if (eat(reader, '0'))
        return 0;
    if (!isdigit((unsigned char)peek(reader)))
        reader->failed = true;
    while (isdigit((unsigned char)peek(reader))) {
        value = value * 10 + (size_t)(next(reader) - '0');
        if (value > reader->n)
            reader->failed = true;
    }
    return value;
}

/* ---- identifiers */

struct identifier {
    const char *text;
    size_t n;
    bool punycode;
    uint64_t disambiguator;
};

static struct identifier plain_identifier_read(struct reader *reader)
{
    struct identifier name = {.punycode = eat(reader, 'u')};
    name.n = decimal_read(reader);
    eat(reader, '_');
    if (reader->failed || name.n > reader->n - reader->at) {
        reader->failed = true;
        return (struct identifier){0};
    }
    name.text = reader->text + reader->at;
    reader->at += name.n;
    return name;
}

static struct identifier identifier_read(struct reader *reader)
{
    uint64_t disambiguator = tagged_base62_read(reader, 's');
    struct identifier name = plain_identifier_read(reader);
    name.disambiguator = disambiguator;
    return name;
}

static void identifier_put(struct reader *reader, const struct identifier *name)
{
    if (reader->silent || reader->failed)
        return;
    uint32_t letters[PUNYCODE_LETTERS_MAX + 1];
    size_t n;
    if (!name->punycode) {
        text_put_n(reader->out, name->text, name->n);
    } else if (punycode_read(name->text, name->n, letters, &n)) {
        for (size_t i = 0; i < n; i++)
            if (!text_put_letter(reader->out, letters[i]))
                reader->failed = true;
    } else {
        put(reader, "punycode{");
        text_put_n(reader->out, name->text, name->n);
        put(reader, "}");
    }
}

static void number_put(struct reader *reader, const char *format, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, format[0] == '#' ? "#%lu" : "%lu", value);
    put(reader, text);
}

/* ---- references, lifetimes */

/* Reads on at an earlier place; `read` is path or type or const. Returns false at the place itself.
 */
static size_t backref_begin(struct reader *reader)
{
    size_t here = reader->at - 1;
    uint64_t target = base62_read(reader);
    if (target >= here)
        reader->failed = true;
    size_t after = reader->at;
    if (!reader->failed)
        reader->at = (size_t)target;
    return after;
}

static void backref_read(struct reader *reader, void (*read)(struct reader *))
{
    size_t after = backref_begin(reader);
    if (!reader->failed && !reader->silent)
        read(reader);
    if (!reader->failed)
        reader->at = after;
}

static void lifetime_put(struct reader *reader, uint64_t index)
{
    if (!index) {
        put(reader, "'_");
        return;
    }
    if (index > reader->lifetimes) {
        reader->failed = true;
        return;
    }
    uint64_t depth = reader->lifetimes - index;
    char text[2] = {(char)('a' + depth), 0};
    put(reader, "'");
    if (depth < 26)
        put(reader, text);
    else
        put(reader, "_"), number_put(reader, "", depth);
}

/* "for<'a, 'b> "; returns how many were bound, for the caller to take off again. */
static uint32_t binder_read(struct reader *reader)
{
    uint64_t n = tagged_base62_read(reader, 'G');
    if (n > 64)
        reader->failed = true;
    if (reader->failed || !n)
        return 0;
    put(reader, "for<");
    for (uint64_t i = 0; i < n; i++) {
        put(reader, i ? ", " : "");
        reader->lifetimes++;
        lifetime_put(reader, 1);
    }
    put(reader, "> ");
    return (uint32_t)n;
}

/* ---- constants */

static void const_number_read(struct reader *reader, char type)
{
    bool negative = eat(reader, 'n');
    size_t start = reader->at;
    uint64_t value = 0;
    while (isxdigit((unsigned char)peek(reader)) && !isupper((unsigned char)peek(reader))) {
        char c = next(reader);
        value = value * 16 + (uint64_t)(isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
    }
    size_t digits = reader->at - start;
    if (!eat(reader, '_'))
        reader->failed = true;
    if (reader->failed)
        return;
    if (type == 'b') {
        put(reader, value ? "true" : "false");
    } else if (type == 'c') {
        put(reader, "'");
        if (!reader->silent && !text_put_letter(reader->out, (uint32_t)value))
            reader->failed = true;
        put(reader, "'");
    } else {
        put(reader, negative ? "-" : "");
        if (digits > 16 && !reader->silent) {
            put(reader, "0x");
            text_put_n(reader->out, reader->text + start, digits);
        } else
            number_put(reader, "", value);
    }
}

static void consts_read(struct reader *reader)
{
    for (bool first = true; !reader->failed && !eat(reader, 'E'); first = false) {
        put(reader, first ? "" : ", ");
        const_read(reader);
    }
}

static void const_read(struct reader *reader)
{
    if (!enter(reader))
        return;
    char kind = next(reader);
    switch (kind) {
    case 'p': put(reader, "_"); break;
    case 'B': backref_read(reader, const_read); break;
    case 'R':
    case 'Q':
        put(reader, kind == 'R' ? "&" : "&mut ");
        const_read(reader);
        break;
    case 'A':
        put(reader, "[");
        consts_read(reader);
        put(reader, "]");
        break;
    case 'T':
        put(reader, "(");
        consts_read(reader);
        put(reader, ")");
        break;
    default:
        if (!kind || !strchr("ablsxnihtmyojc", kind))
            reader->failed = true;
        else
            const_number_read(reader, kind);
    }
    reader->depth--;
}

/* ---- types */

static const char *basic_type(char c)
{
    static const char *const names['z' - 'a' + 1] = {
        ['b' - 'a'] = "bool", ['c' - 'a'] = "char",  ['e' - 'a'] = "str",  ['u' - 'a'] = "()",
        ['a' - 'a'] = "i8",   ['s' - 'a'] = "i16",   ['l' - 'a'] = "i32",  ['x' - 'a'] = "i64",
        ['n' - 'a'] = "i128", ['i' - 'a'] = "isize", ['h' - 'a'] = "u8",   ['t' - 'a'] = "u16",
        ['m' - 'a'] = "u32",  ['y' - 'a'] = "u64",   ['o' - 'a'] = "u128", ['j' - 'a'] = "usize",
        ['f' - 'a'] = "f32",  ['d' - 'a'] = "f64",   ['z' - 'a'] = "!",    ['p' - 'a'] = "_",
        ['v' - 'a'] = "...",
    };
    return islower((unsigned char)c) ? names[c - 'a'] : NULL;
}

static void generic_read(struct reader *reader)
{
    if (eat(reader, 'L'))
        lifetime_put(reader, base62_read(reader));
    else if (eat(reader, 'K'))
        const_read(reader);
    else
        type_read(reader);
}

static void generics_read(struct reader *reader)
{
    for (bool first = true; !reader->failed && !eat(reader, 'E'); first = false) {
        put(reader, first ? "" : ", ");
        generic_read(reader);
    }
}

static void function_type_read(struct reader *reader)
{
    uint32_t bound = binder_read(reader);
    if (eat(reader, 'U'))
        put(reader, "unsafe ");
    if (eat(reader, 'K')) {
        put(reader, "extern \"");
        if (eat(reader, 'C')) {
            put(reader, "C");
        } else {
            struct identifier abi = plain_identifier_read(reader);
            for (size_t i = 0; i < abi.n && !reader->silent; i++)
                text_put_n(reader->out, abi.text[i] == '_' ? "-" : abi.text + i, 1);
        }
        put(reader, "\" ");
    }
    put(reader, "fn(");
    for (bool first = true; !reader->failed && !eat(reader, 'E'); first = false) {
        put(reader, first ? "" : ", ");
        type_read(reader);
    }
    put(reader, ")");
    if (!eat(reader, 'u')) {
        put(reader, " -> ");
        type_read(reader);
    }
    reader->lifetimes -= bound;
}

/* A trait's path whose "<...>" is left open for the bindings that follow. */
static bool open_path_read(struct reader *reader)
{
    if (!enter(reader))
        return false;
    bool open = false;
    if (eat(reader, 'B')) {
        size_t after = backref_begin(reader);
        if (!reader->failed && !reader->silent)
            open = open_path_read(reader);
        if (!reader->failed)
            reader->at = after;
    } else if (eat(reader, 'I')) {
        path_read(reader, false);
        put(reader, "<");
        generics_read(reader);
        open = true;
    } else {
        path_read(reader, false);
    }
    reader->depth--;
    return open;
}

static void dyn_read(struct reader *reader)
{
    put(reader, "dyn ");
    uint32_t bound = binder_read(reader);
    for (bool first = true; !reader->failed && !eat(reader, 'E'); first = false) {
        put(reader, first ? "" : " + ");
        bool open = open_path_read(reader);
        while (eat(reader, 'p')) {
            put(reader, open ? ", " : "<");
            open = true;
            struct identifier name = plain_identifier_read(reader);
            identifier_put(reader, &name);
            put(reader, " = ");
            type_read(reader);
        }
        put(reader, open ? ">" : "");
    }
    reader->lifetimes -= bound;
    if (!eat(reader, 'L')) {
        reader->failed = true;
        return;
    }
    uint64_t lifetime = base62_read(reader);
    if (lifetime) {
        put(reader, " + ");
        lifetime_put(reader, lifetime);
    }
}

static void reference_read(struct reader *reader, bool mutable)
{
    put(reader, "&");
    if (eat(reader, 'L')) {
        uint64_t lifetime = base62_read(reader);
        if (lifetime) {
            lifetime_put(reader, lifetime);
            put(reader, " ");
        }
    }
    put(reader, mutable ? "mut " : "");
    type_read(reader);
}

static void tuple_read(struct reader *reader)
{
    size_t n = 0;
    put(reader, "(");
    for (; !reader->failed && !eat(reader, 'E'); n++) {
        put(reader, n ? ", " : "");
        type_read(reader);
    }
    put(reader, n == 1 ? ",)" : ")");
}

static void type_read(struct reader *reader)
{
    if (!enter(reader))
        return;
    char kind = next(reader);
    const char *basic = basic_type(kind);
    switch (kind) {
    case 'A':
    case 'S':
        put(reader, "[");
        type_read(reader);
        if (kind == 'A') {
            put(reader, "; ");
            const_read(reader);
        }
        put(reader, "]");
        break;
    case 'T': tuple_read(reader); break;
    case 'R':
    case 'Q': reference_read(reader, kind == 'Q'); break;
    case 'P':
    case 'O':
        put(reader, kind == 'P' ? "*const " : "*mut ");
        type_read(reader);
        break;
    case 'F': function_type_read(reader); break;
    case 'D': dyn_read(reader); break;
    case 'B': backref_read(reader, type_read); break;
    default:
        if (basic) {
            put(reader, basic);
        } else if (!reader->failed) {
            reader->at--;
            path_read(reader, false);
        }
    }
    reader->depth--;
}

/* ---- paths */

static void nested_read(struct reader *reader, bool value)
{
    char space = next(reader);
    path_read(reader, value);
    struct identifier name = identifier_read(reader);
    if (isupper((unsigned char)space)) {
        char letter[2] = {space, 0};
        put(reader, "::{");
        put(reader, space == 'C' ? "closure" : space == 'S' ? "shim" : letter);
        if (name.n) {
            put(reader, ":");
            identifier_put(reader, &name);
        }
        number_put(reader, "#", name.disambiguator);
        put(reader, "}");
    } else if (name.n) {
        put(reader, "::");
        identifier_put(reader, &name);
    }
}

/* "M" and "X" say in which impl; what it is for says more. */
static void impl_skip(struct reader *reader)
{
    bool was_silent = reader->silent;
    reader->silent = true;
    tagged_base62_read(reader, 's');
    path_read(reader, false);
    reader->silent = was_silent;
}

static void value_path_read(struct reader *reader)
{
    path_read(reader, true);
}

static void type_path_read(struct reader *reader)
{
    path_read(reader, false);
}

static void path_read(struct reader *reader, bool value)
{
    if (!enter(reader))
        return;
    char kind = next(reader);
    struct identifier name;
    switch (kind) {
    case 'C':
        name = identifier_read(reader);
        identifier_put(reader, &name);
        break;
    case 'M':
    case 'X':
    case 'Y':
        if (kind != 'Y')
            impl_skip(reader);
        put(reader, "<");
        type_read(reader);
        if (kind != 'M') {
            put(reader, " as ");
            path_read(reader, false);
        }
        put(reader, ">");
        break;
    case 'N': nested_read(reader, value); break;
    case 'I':
        path_read(reader, value);
        put(reader, value ? "::<" : "<");
        generics_read(reader);
        put(reader, ">");
        break;
    case 'B': backref_read(reader, value ? value_path_read : type_path_read); break;
    default: reader->failed = true;
    }
    reader->depth--;
}

size_t rust_path_put(struct text_out *out, const char *linkage, size_t bytes)
{
    struct reader reader = {.out = out, .text = linkage + 2, .n = bytes - 2};
    reader.n = strcspn(reader.text, ".$@") < reader.n ? strcspn(reader.text, ".$@") : reader.n;
    if (!isupper((unsigned char)peek(&reader)))
        return 0; /* a digit is a version that does not exist yet */
    path_read(&reader, true);
    if (!reader.failed && isupper((unsigned char)peek(&reader))) {
        reader.silent = true; /* the crate that made this instance */
        path_read(&reader, false);
    }
    return reader.failed || reader.at != reader.n ? 0 : reader.at + 2;
}

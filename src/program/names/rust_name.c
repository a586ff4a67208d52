#include "program/names/rust_name.h"

#include "base/memory.h"
#include "program/names/rust_path.h"
#include "program/names/text_out.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* ---- the old way */

enum { HASH_BYTES = 17 }; /* "h" and 16 hex digits */

static bool is_hash(const char *part, size_t bytes)
{
    if (bytes != HASH_BYTES || part[0] != 'h')
        return false;
    for (size_t i = 1; i < bytes; i++)
        if (!isxdigit((unsigned char)part[i]) || isupper((unsigned char)part[i]))
            return false;
    return true;
}

static const struct escape {
    const char *written;
    char meant;
} escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
               {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};

/* What stands between two '$'. */
static bool escape_put(struct text_out *out, const char *at, size_t bytes)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (strlen(escapes[i].written) == bytes && !memcmp(at, escapes[i].written, bytes)) {
            text_put_n(out, &escapes[i].meant, 1);
            return true;
        }
    if (bytes < 2 || bytes > 7 || at[0] != 'u')
        return false;
    uint32_t letter = 0;
    for (size_t i = 1; i < bytes; i++) {
        if (!isxdigit((unsigned char)at[i]))
            return false;
        letter = letter * 16 +
                 (uint32_t)(isdigit((unsigned char)at[i]) ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
    }
    return text_put_letter(out, letter);
}

static void old_part_put(struct text_out *out, const char *at, size_t bytes)
{
    /* A part may not begin with '$', so rustc puts an underscore before it. */
    if (bytes >= 2 && at[0] == '_' && at[1] == '$')
        at++, bytes--;
    while (bytes) {
        const char *end = at[0] == '$' ? memchr(at + 1, '$', bytes - 1) : NULL;
        size_t used = 1;
        if (end && escape_put(out, at + 1, (size_t)(end - at - 1)))
            used = (size_t)(end - at) + 1;
        else if (bytes >= 2 && at[0] == '.' && at[1] == '.')
            text_put(out, "::"), used = 2;
        else
            text_put_n(out, at, 1);
        at += used;
        bytes -= used;
    }
}

/* How far the name goes if it is one of the old ones; 0 if it is not. */
static size_t old_name_put(struct text_out *out, const char *linkage, size_t bytes)
{
    size_t at = 3;
    bool hashed = false;
    for (unsigned n = 0; at < bytes && isdigit((unsigned char)linkage[at]); n++) {
        size_t length = 0;
        for (; at < bytes && isdigit((unsigned char)linkage[at]) && length < bytes; at++)
            length = length * 10 + (size_t)(linkage[at] - '0');
        if (!length || length > bytes - at || hashed)
            return 0;
        hashed = n && is_hash(linkage + at, length);
        if (!hashed) {
            text_put(out, n ? "::" : "");
            old_part_put(out, linkage + at, length);
        }
        at += length;
    }
    return hashed && at < bytes && linkage[at] == 'E' ? at + 1 : 0;
}

/* ---- both */

const char *rust_name(struct arena *arena, const char *linkage, size_t bytes)
{
    struct text_out out = {0};
    size_t used = 0;
    if (bytes > 3 && !memcmp(linkage, "_ZN", 3))
        used = old_name_put(&out, linkage, bytes);
    else if (bytes > 2 && !memcmp(linkage, "_R", 2))
        used = rust_path_put(&out, linkage, bytes);
    const char *name = NULL;
    if (used && !out.full) {
        /* The unit that LLVM took it from is no part of the name. */
        if (strncmp(linkage + used, ".llvm.", 6) != 0)
            text_put(&out, linkage + used);
        name = arena_string_n(arena, out.at, out.n);
    }
    text_release(&out);
    return name;
}

#include "text/clean.h"

#include "base/memory.h"

static bool steers(char c)
{
    return (unsigned char)c < ' ' || c == 0x7F;
}

const char *text_clean(struct arena *arena, const char *text)
{
    const char *at = text;
    while (*at && !steers(*at))
        at++;
    if (!*at)
        return text;
    char *clean = arena_string(arena, text);
    for (char *c = clean; *c; c++)
        if (steers(*c))
            *c = '?';
    return clean;
}

#include "base/quote.h"

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

/* Anything else means something to some shell somewhere. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=+:,@%^";
    return *word && word[strspn(word, plain)] == 0;
}

char *quote_word(struct arena *arena, const char *word)
{
    if (is_plain(word))
        return arena_string(arena, word);
    char *text = arena_alloc(arena, 4 * strlen(word) + 3), *to = text;
    *to++ = '\'';
    for (; *word; word++)
        to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
    *to = '\'';
    return text;
}

char *quote_words(struct arena *arena, char *const *argv)
{
    size_t room = 1;
    for (size_t i = 0; argv[i]; i++)
        room += 4 * strlen(argv[i]) + 3;
    char *text = arena_alloc(arena, room), *to = text;
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            *to++ = ' ';
        to = stpcpy(to, quote_word(arena, argv[i]));
    }
    return text;
}

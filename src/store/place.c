#include "store/place.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char sqlite_scheme[] = "sqlite:";
static const char *const postgres_schemes[] = {"postgresql://", "postgres://"};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_postgres(const char *text)
{
    return begins(text, postgres_schemes[0]) || begins(text, postgres_schemes[1]);
}

bool store_named(const char *text)
{
    return begins(text, sqlite_scheme) || is_postgres(text);
}

bool store_in_file(const char *text)
{
    return begins(text, sqlite_scheme);
}

/* ---- times */

/* Seconds of "24h", or -1. */
static double age_s(const char *text)
{
    static const struct {
        char unit;
        double s;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    double n = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*end == units[i].unit && !end[1] && n < 1e6)
            return n * units[i].s;
    return -1;
}

/* An age, or a date of UTC: 2026-11-19, 2026-11-19T14:30. */
static bool time_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    double age = age_s(text);
    if (age >= 0) {
        uint64_t ago = (uint64_t)(age * 1e9);
        *ret_ns = ago < now_ns ? now_ns - ago : 1;
        return true;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm tm = {0};
        const char *end = strptime(text, forms[i], &tm);
        time_t seconds = end && !*end ? timegm(&tm) : -1;
        if (seconds > 0) {
            *ret_ns = (uint64_t)seconds * 1000000000u;
            return true;
        }
    }
    return false;
}

/* ---- words */

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Replaces %XX in place; false where no digits follow, or a zero byte would stand. */
static bool unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (*text == '%') {
            int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);
            if (low < 0 || !(high | low))
                return false;
            *to++ = (char)(high << 4 | low);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
    return true;
}

#define PLACE_WORDS "service, build, machine, mode, since and until"

static bool build_is(const char *text)
{
    return *text && !text[strspn(text, "0123456789abcdef")];
}

/* ret_ours: whether the word is one of ours. */
static bool word_take(struct store_query *query, const char *key, const char *value,
                      uint64_t now_ns, bool *ret_ours, struct err *err)
{
    *ret_ours = true;
    if (strcmp(key, "service") == 0)
        query->service = value;
    else if (strcmp(key, "machine") == 0)
        query->machine = value;
    else if (strcmp(key, "mode") == 0)
        query->mode = value;
    else if (strcmp(key, "build") == 0)
        query->build = value;
    else if (strcmp(key, "since") == 0)
        return time_parse(value, now_ns, &query->since_ns) ||
               err_set(err, ERR_USAGE,
                       "since=%s: expected an age (24h, 7d) or a date of UTC "
                       "(2026-11-19, 2026-11-19T14:30)",
                       value);
    else if (strcmp(key, "until") == 0)
        return time_parse(value, now_ns, &query->until_ns) ||
               err_set(err, ERR_USAGE,
                       "until=%s: expected an age (24h, 7d) or a date of UTC "
                       "(2026-11-19, 2026-11-19T14:30)",
                       value);
    else
        *ret_ours = false;
    if (query->build && !build_is(query->build))
        return err_set(err, ERR_USAGE,
                       "build=%s: expected the first digits of a build-id, in "
                       "lower case",
                       query->build);
    return true;
}

/* Takes our words out of a query; the others go to `rest`, which has room for them. */
static bool words_take(struct arena *arena, const char *text, uint64_t now_ns,
                       struct store_query *query, char *rest, struct err *err)
{
    char *words = arena_string(arena, text), *next;
    for (char *word = words; word && *word; word = next) {
        next = strchr(word, '&');
        if (next)
            *next++ = 0;
        char *whole = arena_string(arena, word), *equals = strchr(word, '=');
        bool ours = false;
        if (equals)
            *equals++ = 0;
        if (equals && !unescape(equals))
            return err_set(err, ERR_USAGE, "%s: %% is followed by two hexadecimal digits", whole);
        if (equals && !word_take(query, word, equals, now_ns, &ours, err))
            return false;
        if (ours)
            continue;
        if (!rest)
            return err_set(err, ERR_USAGE, "%s: expected one of " PLACE_WORDS ", as in since=24h",
                           whole);
        if (*rest)
            strcat(rest, "&");
        strcat(rest, whole);
    }
    return true;
}

/* ---- the whole */

/* Without what stands between the first ':' and the last '@' of user and host. */
static char *without_password(struct arena *arena, const char *uri)
{
    const char *begin = strstr(uri, "//") + 2;
    size_t length = strcspn(begin, "/?");
    const char *at = memrchr(begin, '@', length), *colon = at ? memchr(begin, ':', length) : NULL;
    if (!colon || colon > at)
        return arena_string(arena, uri);
    return arena_format(arena, "%.*s%s", (int)(colon - uri), uri, at);
}

static bool parse_postgres(struct arena *arena, const char *base, const char *rest,
                           struct store_place *place)
{
    place->where = *rest ? arena_format(arena, "%s?%s", base, rest) : base;
    place->shown = without_password(arena, base);
    return true;
}

static bool parse_sqlite(const char *base, struct store_place *place, struct err *err)
{
    place->where = place->shown = base + strlen(sqlite_scheme);
    return *place->where || err_set(err, ERR_USAGE, "sqlite: a path is missing: sqlite:PATH");
}

bool store_place_parse(struct arena *arena, const char *text, uint64_t now_ns,
                       struct store_place *ret_place, struct err *err)
{
    struct store_place place = {.postgres = is_postgres(text)};
    if (!store_named(text))
        return err_set(err, ERR_USAGE, "%s: expected sqlite:PATH or postgresql://HOST/BASE", text);
    const char *mark = strchr(text, '?');
    size_t length = mark ? (size_t)(mark - text) : strlen(text);
    char *base = arena_string_n(arena, text, length);
    char *rest = place.postgres ? arena_alloc(arena, strlen(text) + 1) : NULL;
    if (mark && !words_take(arena, mark + 1, now_ns, &place.query, rest, err))
        return false;
    if (!(place.postgres ? parse_postgres(arena, base, rest, &place)
                         : parse_sqlite(base, &place, err)))
        return false;
    if (place.query.until_ns && place.query.until_ns <= place.query.since_ns)
        return err_set(err, ERR_USAGE, "%s: until= is before since=", place.shown);
    *ret_place = place;
    return true;
}

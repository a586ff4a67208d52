/* A store and what is asked of it, as one text:
 *
 *     sqlite:PATH?service=web&since=24h
 *     postgresql://user@host/base?service=web&build=3f2a&sslmode=verify-full
 *
 * After the question mark come ours (PLACE_WORDS below); all others stay for libpq. %XX stands for
 * any byte in a value. */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Which recordings: NULL and 0 are any. */
struct store_query {
    const char *service, *machine, *mode;
    const char *build;           /* the first digits of a build-id */
    uint64_t since_ns, until_ns; /* when they began, in ns since 1970; until_ns is excluded */
};

struct store_place {
    bool postgres;
    const char *where; /* a path, or a URI for libpq */
    const char *shown; /* what messages call it: no password, no query */
    struct store_query query;
};

/* Whether the text names a store, and no file. */
bool store_named(const char *text);
/* Of such a name: whether it is a file, not a server. */
bool store_in_file(const char *text);
/* Times are counted back from now_ns. Texts live in the arena. */
bool store_place_parse(struct arena *arena, const char *text, uint64_t now_ns,
                       struct store_place *ret_place, struct err *err);

#include "lab/streams/tuples.h"

#include "base/err.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 512 };

static const char magic[16] = "gait tuples 1\n\n";

static void tuple_add(struct tuples *tuples, const struct tuple *tuple)
{
    uint32_t number = map_add(&tuples->keys, tuple);
    *vec_push(tuples) = *tuple;
    *vec_push(&tuples->number) = number;
    if (number == tuples->place.n)
        *vec_push(&tuples->place) = map_add(&tuples->places, &tuple->place);
}

static bool tuples_take(struct tuples *tuples, FILE *file, const char *path, uint32_t kinds,
                        size_t most, struct err *err)
{
    char start[sizeof magic];
    struct tuple some[CHUNK];
    size_t got;
    if (fread(start, sizeof start, 1, file) != 1 || memcmp(start, magic, sizeof magic) != 0)
        return err_set(err, ERR_FORMAT,
                       "%s: not a file of tuples; gait record --exact=trace --events address,value "
                       "--dump-stream makes them",
                       path);
    do {
        got = fread(some, 1, sizeof some, file);
        for (size_t i = 0; i < got / sizeof *some && (!most || tuples->n < most); i++)
            if (some[i].place >> TUPLE_KIND_SHIFT < TUPLE_KINDS &&
                (kinds >> tuple_kind(&some[i]) & 1))
                tuple_add(tuples, &some[i]);
    } while (got == sizeof some && (!most || tuples->n < most));
    if (ferror(file))
        return err_set(err, errno == ENOENT ? ERR_MISSING : ERR_SYSTEM, "%s: %s", path,
                       strerror(errno));
    if (got % sizeof *some)
        return err_set(err, ERR_FORMAT, "%s: ends inside a tuple", path);
    return true;
}

/* The last tuples of a file say how far the others go; a file that was cut has none. */
static void lengths_find(struct tuples *tuples, FILE *file)
{
    struct tuple last[2];
    long read = ftell(file);
    if (read < 0 || fseek(file, -(long)sizeof last, SEEK_END) != 0)
        return;
    if (fread(last, sizeof *last, 2, file) != 2 || last[1].place != TUPLE_END)
        return;
    long all = ftell(file);
    double share = read < all ? (double)read / (double)all : 1;
    tuples->instructions = (double)last[1].value * share;
    if (last[0].place == TUPLE_CYCLES)
        tuples->cycles = (double)last[0].value * share;
}

bool tuples_read(struct tuples *tuples, const char *path, uint32_t kinds, size_t most,
                 struct err *err)
{
    FILE *file = fopen(path, "re");
    *tuples = (struct tuples){0};
    if (!file)
        return err_set(err, errno == ENOENT ? ERR_MISSING : ERR_SYSTEM, "%s: %s", path,
                       strerror(errno));
    map_init(&tuples->keys, sizeof(struct tuple));
    map_init(&tuples->places, sizeof(uint64_t));
    bool good = tuples_take(tuples, file, path, kinds, most, err);
    if (good)
        lengths_find(tuples, file);
    fclose(file);
    if (!good)
        tuples_release(tuples);
    return good;
}

void tuples_release(struct tuples *tuples)
{
    map_release(&tuples->keys);
    map_release(&tuples->places);
    vec_release(&tuples->number);
    vec_release(&tuples->place);
    vec_release(tuples);
}

/* The streams of a trace as tuples in a file, for gait lab: loaded values, branch targets, callees,
 * types of objects, and branches that a model of a core mispredicted.
 *
 * The file has STREAM_DUMP_MAGIC, then one struct tuple after another; places are addresses in
 * memory. Loads need the events `address` and `value`: a load is an instruction that reads memory
 * and has a result. Types need `address`: the slot of a vtable that a call reads its target from
 * gives the type. Mispredictions need a model (record --core), and have the model's places
 * (model/replay/code.h). The last tuple has the place TUPLE_END; its value is how many instructions
 * the others come from. With a model, TUPLE_CYCLES stands before it: how many cycles these take,
 * all threads together. */
#pragma once

#include "consumers/consumer.h"
#include "base/map.h"
#include "base/vec.h"
#include "values/payloads.h"
#include "model/replay/replay.h"
#include "compress/tuple.h"

#include <stdio.h>

struct err;

#define STREAM_DUMP_MAGIC "gait tuples 1\n\n" /* 16 bytes with the zero */
enum { STREAM_DUMP_MOST = 24 << 20 };         /* tuples; more are left out */

struct stream_dump {
    struct consumer consumer;
    struct payload_consumer values;
    FILE *file;
    uint64_t n;
    struct replay_listener model;
    struct map calls;          /* places of indirect calls */
    uint64_t load_pc, load_at; /* of the last read */
    uint64_t instructions;     /* of the passages in the file */
    uint64_t cycles;           /* of the model, of these passages */
    uint64_t retired;          /* the cycle in which the model's last instruction did */
    struct stream_retired {
        VEC(uint64_t);
    } threads;     /* the same, of each thread's last passage */
    uint64_t skip; /* instructions at the beginning that give no tuples */
};

/* The file has mode 0600: values can hold secrets. The first `skip` instructions of the program, or
 * a few more, give no tuples. */
bool stream_dump_open(struct stream_dump *dump, const char *path, uint64_t skip, struct err *err);
bool stream_dump_close(struct stream_dump *dump, const char *path, struct err *err);

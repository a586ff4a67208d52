/* The streams of a trace as tuples in a file, for gait lab: loaded values, branch targets, callees,
 * types of objects, and branches that a model of a core mispredicted.
 *
 * The file has STREAM_DUMP_MAGIC, then one struct tuple after another; places are addresses in
 * memory. Loads need the events `address` and `value`: a load is an instruction that reads memory
 * and has a result. Types need `address`: the slot of a vtable that a call reads its target from
 * gives the type. Mispredictions need a model (record --core), and have the model's places
 * (model/replay/code.h). The last tuple has the place TUPLE_END; its value is how many instructions
 * the others come from. */
#pragma once

#include "consumers/consumer.h"
#include "base/map.h"
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
};

/* The file has mode 0600: values can hold secrets. */
bool stream_dump_open(struct stream_dump *dump, const char *path, struct err *err);
bool stream_dump_close(struct stream_dump *dump, const char *path, struct err *err);

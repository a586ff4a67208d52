/* The streams of a traced program as tuples in a file, for gait lab: what loads loaded, where
 * branches went, whom calls called, of which type their objects were, and which branches a model of
 * a core guessed wrong.
 *
 * The file has STREAM_DUMP_MAGIC and then struct tuple after struct tuple, places being addresses
 * in memory. Loads need the events `address` and `value`: a load is an instruction that reads
 * memory and leaves a result. Types need `address`: the slot of a table of methods that a call
 * takes its target from tells whose table it is. What was guessed wrong needs a model (record
 * --core), and has places as that sees them (model/replay/code.h). The last one is none: its place
 * is TUPLE_END, its value how many instructions the others come from. */
#pragma once

#include "consumers/consumer.h"
#include "base/map.h"
#include "values/payloads.h"
#include "model/replay/replay.h"
#include "compress/tuple.h"

#include <stdio.h>

struct err;

#define STREAM_DUMP_MAGIC "gait tuples 1\n\n" /* 16 bytes with the last, a zero */
enum { STREAM_DUMP_MOST = 24 << 20 };         /* tuples; what comes behind them is left out */

struct stream_dump {
    struct consumer consumer;
    struct payload_consumer values;
    FILE *file;
    uint64_t n;
    struct replay_listener model;
    struct map calls;          /* places of indirect ones */
    uint64_t load_pc, load_at; /* of the last event that was a read */
    uint64_t instructions;     /* of the passages that are in the file */
};

/* The file is readable by its owner alone: values can hold secrets. */
bool stream_dump_open(struct stream_dump *dump, const char *path, struct err *err);
bool stream_dump_close(struct stream_dump *dump, const char *path, struct err *err);

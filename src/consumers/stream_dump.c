#include "consumers/stream_dump.h"

#include "base/err.h"
#include "base/private_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static struct stream_dump *of_consumer(struct consumer *consumer)
{
    return (struct stream_dump *)consumer;
}

static void put(struct stream_dump *dump, enum tuple_kind kind, uint64_t pc, uint64_t value)
{
    struct tuple tuple = {tuple_place(kind, pc), value};
    if (dump->n == STREAM_DUMP_MOST || dump->skip)
        return;
    dump->n++;
    fwrite(&tuple, sizeof tuple, 1, dump->file);
}

/* Items of an instruction stand together, addresses first. */
static void see(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct stream_dump *dump =
        (struct stream_dump *)(void *)((char *)consumer - offsetof(struct stream_dump, values));
    enum payload_kind kind = (enum payload_kind)event->item->kind;
    if (kind == PAYLOAD_ADDRESS) {
        dump->load_pc = event->item->access == 1 ? event->pc : 0;
        dump->load_at = event->words[0];
    } else if (kind == PAYLOAD_PUSH && event->pc == dump->load_pc &&
               map_find(&dump->calls, &event->pc) != MAP_NONE)
        put(dump, TUPLE_TYPE, event->pc, dump->load_at);
    else if ((kind == PAYLOAD_RESULT || kind == PAYLOAD_VECTOR) && event->pc == dump->load_pc)
        put(dump, TUPLE_VALUE, event->pc, event->words[0]);
}

static void guess(struct replay_listener *listener, const struct replay_step *step)
{
    struct stream_dump *dump =
        (struct stream_dump *)(void *)((char *)listener - offsetof(struct stream_dump, model));
    if (!step->aborted)
        dump->retired = step->times->retire;
    if ((step->times->events & CORE_MISPREDICT) && !step->aborted)
        put(dump, TUPLE_MISPREDICT, step->fact->at.v, step->fact->next.v);
}

static uint64_t last_pc(const struct unit_segment *segment)
{
    return segment->start + segment->bytes - segment->last_bytes;
}

/* Branches inside a superblock went on to what lies behind them in it; the last segment's went to
 * `next`. */
static void exit_put(struct stream_dump *dump, uint32_t exit, uint64_t next)
{
    const struct units *units = dump->consumer.units;
    int32_t owner = units_owner(units, exit);
    if (owner == UNIT_NONE)
        return;
    const struct superblock *superblock = &units->superblocks.at[owner];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    for (uint32_t s = 0; s <= last; s++) {
        const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
        uint64_t to = s < last ? segment[1].start : next;
        uint64_t pc = last_pc(segment);
        dump->instructions += segment->instructions;
        if (segment->end == SEGMENT_ICALL)
            map_add(&dump->calls, &pc);
        if (!to || !segment->instructions)
            continue;
        if (segment->end == SEGMENT_COND || segment->end == SEGMENT_IJUMP)
            put(dump, TUPLE_EDGE, pc, to);
        else if (segment->end == SEGMENT_CALL || segment->end == SEGMENT_ICALL)
            put(dump, TUPLE_CALL, pc, to);
    }
}

static uint64_t start_of(const struct units *units, uint32_t exit)
{
    int32_t owner = units_owner(units, exit);
    return owner == UNIT_NONE
               ? 0
               : units->segments.at[units->superblocks.at[owner].first_segment].start;
}

/* A thread has a core of its own, which begins at 0. */
static void begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    struct stream_dump *dump = of_consumer(consumer);
    (void)tid;
    while (dump->threads.n <= thread)
        *vec_push(&dump->threads) = 0;
    dump->threads.at[thread] = 0;
}

/* The model has gone through the passage: how long it took. */
static void clock_read(struct stream_dump *dump, uint32_t thread)
{
    if (thread >= dump->threads.n || dump->retired <= dump->threads.at[thread])
        return;
    dump->cycles += dump->retired - dump->threads.at[thread];
    dump->threads.at[thread] = dump->retired;
    dump->retired = 0; /* the next passage may have nothing that is modelled */
}

/* Where tuples begin: all before it is as if it had not been. */
static void skip_end(struct stream_dump *dump)
{
    if (!dump->skip || dump->instructions < dump->skip)
        return;
    dump->skip = 0;
    dump->instructions = dump->cycles = 0;
}

static void passage(struct consumer *consumer, const struct passage *passage)
{
    struct stream_dump *dump = of_consumer(consumer);
    struct payload_consumer *values = &dump->values;
    struct payload_sum sum = {0};
    struct payload_window window = {.n_exits = passage->n,
                                    .n_words = passage->n_payload,
                                    .exits = passage->exits,
                                    .words = passage->payload};
    if (dump->n == STREAM_DUMP_MOST)
        return;
    for (uint32_t i = 0; i < passage->n; i++)
        exit_put(dump, passage->exits[i],
                 i + 1 < passage->n ? start_of(consumer->units, passage->exits[i + 1])
                                    : passage->end_pc);
    if (passage->n_payload)
        payloads_read(consumer->units, &window, &sum, &values, 1);
    clock_read(dump, passage->thread);
    skip_end(dump);
}

static void end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

bool stream_dump_open(struct stream_dump *dump, const char *path, uint64_t skip, struct err *err)
{
    static const struct consumer_kind kind = {begin, passage, end};
    int fd = private_file_open(path);
    *dump = (struct stream_dump){.consumer = {&kind, NULL},
                                 .values = {see},
                                 .model = {guess, NULL},
                                 .skip = skip,
                                 .file = fd < 0 ? NULL : fdopen(fd, "w")};
    map_init(&dump->calls, sizeof(uint64_t));
    if (!dump->file)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    fwrite(STREAM_DUMP_MAGIC, sizeof STREAM_DUMP_MAGIC, 1, dump->file);
    return true;
}

bool stream_dump_close(struct stream_dump *dump, const char *path, struct err *err)
{
    struct tuple last = {TUPLE_END, dump->instructions}, cycles = {TUPLE_CYCLES, dump->cycles};
    if (dump->skip)
        return err_set(err, ERR_SYSTEM,
                       "--dump-skip %" PRIu64 ": the program ran %" PRIu64
                       " instructions; skip fewer",
                       dump->skip, dump->instructions);
    if (dump->cycles)
        fwrite(&cycles, sizeof cycles, 1, dump->file);
    fwrite(&last, sizeof last, 1, dump->file);
    bool whole = !ferror(dump->file);
    whole = fclose(dump->file) == 0 && whole;
    dump->file = NULL;
    map_release(&dump->calls);
    vec_release(&dump->threads);
    return whole || err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}

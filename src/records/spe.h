/* Arm's statistical profiling extension: a stream of packets in which records lie one behind the
 * other, each ended by a time stamp or an end packet. One operation is followed at a time, from its
 * dispatch to its completion. */
#pragma once

#include "records/bits.h"
#include "records/sample.h"

#include <stdbool.h>

enum spe_kind {
    SPE_PAD,
    SPE_END,
    SPE_TIME,
    SPE_EVENTS,
    SPE_SOURCE,
    SPE_CONTEXT,
    SPE_OPERATION,
    SPE_ADDRESS,
    SPE_COUNTER,
    SPE_BAD, /* one byte that begins no packet */
    SPE_KINDS
};

struct spe_packet {
    enum spe_kind kind;
    uint32_t index;   /* of addresses, counters, contexts and operations: which one */
    uint32_t bytes;   /* with its header */
    uint64_t payload; /* 0: it has none */
};

/* The packet at a place of a stream, `n` bytes before its end; n is not 0. The place itself matters
 * for alignment. A packet that is cut off by the end is SPE_BAD, all there is of it. */
struct spe_packet spe_packet_at(const uint8_t *bytes, size_t n, uint64_t place);

/* Where a stream is being read. */
struct spe_reader {
    const uint8_t *at, *end;
    uint64_t place;     /* of `at` in the stream */
    uint64_t bad_bytes; /* that were no packet */
};

/* The next record; false: there is none, nor will there be. Records without an address of code are
 * records, too. */
bool spe_read(struct spe_reader *reader, struct sample *ret_sample);
/* Goes on to what is no padding; false: there is nothing. */
bool spe_seek(struct spe_reader *reader);
/* Tells the packets of the next record, or of what lies before the end; false at the end. */
bool spe_tell(struct spe_reader *reader, const struct bits_listener *listener);

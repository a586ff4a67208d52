/* What windows record besides exits: words of 64 bits, for events that are asked for.
 *
 * Every instruction of a superblock has its words at constant places behind those of the
 * instructions before it, so how many an exit has written is known when the superblock is made:
 * whoever knows the exits of a window and the items of their superblocks can tell what each word
 * is. */
#pragma once

#include <stdint.h>

/* What is recorded, as bits. Edges and calls are what exits tell, and always there. */
enum {
    EVENTS_EDGE = 1,
    EVENTS_CALL = 2,
    EVENTS_ADDRESS = 4,
    EVENTS_VALUE = 8,
    EVENTS_LATENCY = 16,
    EVENTS_STACK = 32,
    EVENTS_PAYLOAD = EVENTS_ADDRESS | EVENTS_VALUE | EVENTS_LATENCY,
};

enum payload_kind {
    PAYLOAD_ADDRESS = 1, /* of the operand; for bit tests with a register, of its first byte */
    PAYLOAD_PUSH,        /* where a push, call or enter stores */
    PAYLOAD_POP,         /* where a pop, return or leave loads */
    PAYLOAD_SOURCE, /* %rsi of a string operation before it; 67: its whole register all the same */
    PAYLOAD_DESTINATION,  /* %rdi likewise */
    PAYLOAD_COUNT,        /* %rcx of a repeated one */
    PAYLOAD_GATHER_BASE,  /* base and displacement of a gather; detail: shift of its scale */
    PAYLOAD_GATHER_INDEX, /* the vector of its indices; detail: bytes of one */
    PAYLOAD_GATHER_MASK,  /* and which are used: the top bit of each element */
    /* A divisor, a count in %cl, what a move or xchg stores, what cmpxchg expects; detail:
       register. */
    PAYLOAD_OPERAND,
    PAYLOAD_RESULT,  /* a general register afterwards, all of it; detail: register */
    PAYLOAD_VECTOR,  /* a vector register afterwards; detail: register */
    PAYLOAD_LATENCY, /* TSC ticks of a load between fences; 0: it was not timed this time */
    PAYLOAD_KINDS,
};

/* One item of a superblock's payload; they stand in the order of their words. */
struct wire_payload {
    uint16_t instruction; /* of the superblock, from 0 */
    uint16_t offset;      /* bytes from the start of its segment */
    uint8_t kind;         /* enum payload_kind */
    uint8_t words;        /* 1, or of vectors 2 or 4 */
    uint8_t detail;
    uint8_t access; /* of addresses: 1 read, 2 written, 3 both */
};

enum {
    PAYLOAD_ITEMS_MAX = 256, /* of one superblock: what does not fit is not recorded */
    PAYLOAD_WORDS_MAX = 256,
};

/* What windows record besides exits: 64-bit words, for the events that were asked for.
 *
 * Each instruction of a superblock writes its words at a constant offset, so the number of words
 * that an exit has written is known at translation. The exits of a window and the payload items of
 * their superblocks tell what each word is. */
#pragma once

#include <stdint.h>

/* What is recorded, as bits. Edges and calls follow from exits and are always recorded. */
enum {
    EVENTS_EDGE = 1,
    EVENTS_CALL = 2,
    EVENTS_ADDRESS = 4,
    EVENTS_VALUE = 8,
    EVENTS_LATENCY = 16,
    EVENTS_STACK = 32,
    EVENTS_ARGUMENT = 64,
    EVENTS_PAGE = 128, /* physical pages of addresses: the tool looks them up */
    EVENTS_PAYLOAD = EVENTS_ADDRESS | EVENTS_VALUE | EVENTS_LATENCY | EVENTS_ARGUMENT,
};

enum payload_kind {
    PAYLOAD_ADDRESS = 1, /* of the operand; for bit tests with a register: of its first byte */
    PAYLOAD_PUSH,        /* where a push, call or enter stores */
    PAYLOAD_POP,         /* where a pop, return or leave loads */
    PAYLOAD_SOURCE, /* %rsi before a string operation; with prefix 67 still the whole register */
    PAYLOAD_DESTINATION,  /* %rdi, the same */
    PAYLOAD_COUNT,        /* %rcx, with a repeat prefix */
    PAYLOAD_GATHER_BASE,  /* of a gather: base and displacement; detail: log2 of its scale */
    PAYLOAD_GATHER_INDEX, /* of a gather: the vector of indices; detail: bytes of one index */
    PAYLOAD_GATHER_MASK,  /* of a gather: the mask; the top bit of each element */
    /* A divisor, a count in %cl, what a move or xchg stores, what cmpxchg expects; detail: the
     * register. */
    PAYLOAD_OPERAND,
    PAYLOAD_RESULT,  /* a whole general register after the instruction; detail: register */
    PAYLOAD_VECTOR,  /* a vector register after the instruction; detail: register */
    PAYLOAD_LATENCY, /* TSC ticks of a load between fences; 0: not timed this time */
    /* Registers that may hold arguments at a call, and results at a return; detail: the register,
     * or PAYLOAD_XMM and the number of a vector register, of which it is the lowest word. */
    PAYLOAD_ARGUMENT,
    PAYLOAD_RETURNED,
    PAYLOAD_SYSCALL, /* the number of a system call (%rax), and the registers of its arguments */
    PAYLOAD_KINDS,
};

/* One item of a superblock's payload, in the order of the words. */
struct wire_payload {
    uint16_t instruction; /* of the superblock, from 0 */
    uint16_t offset;      /* bytes from the start of its segment */
    uint8_t kind;         /* enum payload_kind */
    uint8_t words;        /* 1; vectors: 2 or 4 */
    uint8_t detail;
    uint8_t access; /* of addresses: 1 read, 2 written, 3 both */
};

enum {
    PAYLOAD_XMM = 16,        /* of details */
    PAYLOAD_ITEMS_MAX = 256, /* per superblock; more are not recorded */
    PAYLOAD_WORDS_MAX = 256,
};

/* A customisation module of gait record --module X.so: which instructions to capture and what of
 * them, what becomes of it, and how that is shown. A module is a shared object with one symbol,
 * `gait_module`:
 *
 *     gcc -shared -fPIC -o x.so x.c
 *
 * It runs in a process of its own, not in the recorded program and not in gait: one that crashes or
 * takes longer than half a second for an answer is ended, and the recording goes on without it.
 * docs/MODULES.md has examples. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GAIT_MODULE_VERSION 1

/* What can be captured of an instruction, as bits. */
enum gait_kind {
    GAIT_ADDRESS = 1,  /* of its memory operand; what is done on the stack aside */
    GAIT_OPERAND = 2,  /* a register that it reads: a divisor, a count, what it stores or expects */
    GAIT_RESULT = 4,   /* a general register that it writes */
    GAIT_VECTOR = 8,   /* a vector register that it writes: 2 or 4 words */
    GAIT_LATENCY = 16, /* of a load, in ticks, of those few executions that were timed */
    GAIT_ARGUMENT = 32, /* of a call: each register that may hold an argument, by its number */
    GAIT_RETURNED = 64, /* of a return: each register that may hold the result */
};

/* An instruction that was met. */
struct gait_instruction {
    uint64_t address;     /* as linked */
    const char *file;     /* whose, without folders */
    const char *mnemonic; /* "mov", "cmpxchg" */
    const uint8_t *bytes;
    uint32_t n_bytes;
    int loads, stores, locked; /* memory */
};

/* One thing that was captured. They come in the order in which they were executed, those of a
 * window together. */
struct gait_tuple {
    uint64_t address; /* of the instruction */
    uint32_t place;   /* its number: what a value is to be given to */
    uint32_t kind;    /* enum gait_kind */
    uint32_t n_words;
    /* Operands, results, arguments: the register, as instructions encode it (%rdi is 7); of
     * arguments and what is returned, 16 and more is the lowest word of %xmm0 and so on. */
    uint32_t reg;
    uint64_t words[4];
};

/* What ticks mean on this machine: those that timing itself takes, and up to how many a load was
 * near, in the third cache, in memory. All 0 without GAIT_LATENCY. */
struct gait_scale {
    double floor;
    uint64_t near_max, l3_max, memory_max;
};

typedef void gait_emit(void *to, uint32_t place, uint64_t value);

struct gait_module {
    uint32_t version; /* GAIT_MODULE_VERSION */
    const char *name;
    uint32_t kinds; /* all that it may want: what is recorded */
    /* Asked once of each instruction that something was recorded of: what is wanted of it, as bits;
     * 0: nothing. */
    uint32_t (*wants)(const struct gait_instruction *instruction);
    /* The tuples of a window: calls emit for each (place, value) that is to be in the profile. */
    void (*take)(const struct gait_scale *scale, const struct gait_tuple *tuples, size_t n,
                 gait_emit *emit, void *to);
    /* A value as text, room bytes with the zero behind it; NULL: hexadecimal. */
    void (*format)(uint64_t value, char *text, size_t room);
};

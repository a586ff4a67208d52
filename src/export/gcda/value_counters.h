/* Value counters for gcc: divisors, remainders, sizes of string operations, from a recording with
 * --events value,argument --context.
 *
 * They need the dumps of gcov/valued.h: which statements have counters, in which order. A statement
 * has the values of all instructions of its place in the source: divisions, and calls, whose third
 * argument is the size (kept by callers, because arguments belong to what is called). Where nothing
 * is known, counters say that nothing is frequent. They add up to the executions of these
 * instructions and not to those that gcc computes from arcs, which it accepts with
 * -fprofile-correction only. */
#pragma once

#include "export/gcda/inline_chain.h"
#include "export/job/code.h"
#include "gcov/counts.h"
#include "program/insn/disasm.h"

enum value_counted { COUNTED_ALL, COUNTED_VALUE, COUNTED_QUOTIENT };

/* How often a statement was executed, or with one divisor, size or quotient. */
struct value_counter {
    uint32_t function;  /* of all objects' */
    uint32_t statement; /* of the function's valued statements */
    uint32_t what;      /* enum value_counted */
    uint64_t value, count;
};

struct value_seen {
    uint64_t address, value, count;
    uint32_t kind; /* as value_key has it; VALUE_ALL: all values of the place */
};

struct value_counters {
    VEC(struct value_counter); /* sorted once all have been gathered */
    struct values_seen {
        VEC(struct value_seen); /* of the module, by address */
    } seen;
};

void value_counters_open(struct value_counters *values, const struct code_counts *code);
void value_counters_close(struct value_counters *values);
/* Whether counters of the function can be written. */
bool value_counters_know(const struct value_counters *values, const struct objects *objects,
                         struct object_function at);
/* One instruction that ran so often; the chains are its. */
void value_counters_see(struct value_counters *values, const struct chains *chains,
                        const uint32_t *first, const struct image *image,
                        const struct instruction *instruction, uint64_t count);
void value_counters_sort(struct value_counters *values);
/* The counters of one function, which is that number of all objects'. False: there are none. */
bool value_counters_write(const struct value_counters *values, const struct valued_function *valued,
                          uint32_t function, struct counts_function *counted);

/* A division of the bytes of an instruction. */
struct division {
    bool is_signed;
    uint8_t bits; /* of the divisor */
};
bool division_read(const uint8_t *bytes, size_t n, struct division *ret);

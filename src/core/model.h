/* A processor core as data: widths, queues, ports, caches, and what each instruction asks of them.
 *
 * It is read from text (cores/NAME.core, described in docs/CORE.md): lines of words, '#' to the end of a line is a
 * comment. "NAME NUMBER" sets one of MODEL_NUMBERS; "ports NAME..." names up to 32 of them; "op NAME ports=A|B
 * lat=N" is something that a port does; "insn NAME,NAME WORD... = OP..." says what an instruction is made of. The
 * first rule whose names and words all fit is the one; "rules NAME" stands for those of another core that gait knows. A model does not change once it is read. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* name, least, most */
#define MODEL_NUMBERS(X)                                                                           \
    X(in_order, 0, 1)         /* issues in program order */                                        \
    X(fetch_bytes, 4, 256)    /* a cycle, from the instruction cache */                            \
    X(decode_width, 1, 16)    /* instructions a cycle */                                           \
    X(decode_depth, 1, 64)    /* cycles from fetch to dispatch */                                  \
    X(opcache_ops, 0, 65536)  /* 0: there is none */                                               \
    X(opcache_width, 0, 16)   /* operations a cycle from it */                                     \
    X(opcache_depth, 0, 64)   /* cycles from it to dispatch */                                     \
    X(opqueue, 4, 512)        /* operations between fetch and dispatch */                          \
    X(microcode_ops, 2, 64)   /* more operations than that come from microcode, alone */           \
    X(dispatch_width, 1, 16)  /* operations a cycle */                                             \
    X(dispatch_stores, 1, 16) /* stores a cycle among them */                                      \
    X(retire_width, 1, 16)    /* operations a cycle */                                             \
    X(rob, 4, 1024)           /* operations in flight */                                           \
    X(int_registers, 4, 1024) /* results in flight, beyond the architecture's own */               \
    X(fp_registers, 4, 1024)                                                                       \
    X(int_scheduler, 1, 512) /* operations that wait */                                            \
    X(fp_scheduler, 1, 512)                                                                        \
    X(load_queue, 1, 512)                                                                          \
    X(store_queue, 1, 512)                                                                         \
    X(store_width, 1, 8)     /* stores that leave the store queue in a cycle */                    \
    X(store_window, 8, 256)  /* bytes, aligned, in which those must lie */                         \
    X(fuse_branch, 0, 2)     /* 1: cmp and test with a branch behind them; 2: all of ALU */        \
    X(eliminate_moves, 0, 1) /* moves between registers need no port and no time */                \
    X(zero_idioms, 0, 1)     /* xor of a register with itself depends on nothing */                \
    X(load_int, 1, 64)       /* cycles from a load's issue to its result */                        \
    X(load_fp, 1, 64)                                                                              \
    X(load_indexed, 0, 16) /* more, with an index register */                                      \
    X(load_again, 0, 4)    /* times that a load is tried more if another gave its address */       \
    X(load_slots, 0, 4)    /* more operations for an instruction with a memory operand */          \
    X(store_slots, 0, 4)   /* the same for one that it writes to */                                \
    X(forward, 1, 64)      /* cycles from a store's data to the load that takes it */              \
    X(forward_fp, 1, 64)                                                                           \
    X(rename_stack, 0, 1)  /* stack slots are renamed: a load of one takes no time */              \
    X(stack_sync, 0, 1)    /* the stack pointer takes an operation more behind push, pop */        \
    X(synonym_load, 0, 64) /* cycles in which such a load keeps others from their ports */         \
    X(forward_fail, 0, 64) /* more if the store has only a part of what is loaded */               \
    X(taken_width, 1, 4)   /* taken branches a cycle */                                            \
    X(taken_bubble, 0, 16) /* cycles without fetch behind one */                                   \
    X(mispredict, 1, 64)   /* cycles from a branch's result to fetch of the right way */           \
    X(btb_miss, 0, 64)     /* cycles to fetch of a taken branch whose target is new */             \
    X(return_stack, 1, 256)                                                                        \
    X(history, 1, 64)        /* branches that the longest table of the predictor sees */           \
    X(predictor_log2, 4, 20) /* entries of each of its tables */                                   \
    X(line_bytes, 16, 256)                                                                         \
    X(l1i_kib, 1, 4096)                                                                            \
    X(l1i_ways, 1, 32)                                                                             \
    X(l1d_kib, 1, 4096)                                                                            \
    X(l1d_ways, 1, 32)                                                                             \
    X(l2_kib, 0, 65536)                                                                            \
    X(l2_ways, 1, 32)                                                                              \
    X(l3_kib, 0, 1048576)                                                                          \
    X(l3_ways, 1, 32)                                                                              \
    X(l2_cycles, 1, 1000) /* from a load's issue to its result */                                  \
    X(l3_cycles, 1, 1000)                                                                          \
    X(memory_cycles, 1, 10000)                                                                     \
    X(misses, 1, 256)        /* lines on their way at once */                                      \
    X(prefetch_lines, 0, 16) /* how far ahead of a stream; 0: there is none */                     \
    X(split_cycles, 0, 64)   /* more for a load that straddles lines */                            \
    X(dtlb, 1, 4096)         /* entries */                                                         \
    X(itlb, 1, 4096)                                                                               \
    X(l2tlb, 0, 65536)                                                                             \
    X(l2tlb_cycles, 0, 1000)                                                                       \
    X(walk_cycles, 0, 10000)

enum { MODEL_PORTS = 32, RULE_OPS = 6 };

/* What one port does once. */
struct model_op {
    const char *name;
    uint32_t ports; /* any of these */
    uint8_t cycles; /* to its result */
    uint8_t every;  /* cycles until the port takes the next */
};

/* What must hold of an instruction for a rule to fit; all bits of `words` must be among those of the instruction. */
enum rule_word {
    RULE_LOAD = 1 << 0,  /* reads memory */
    RULE_STORE = 1 << 1, /* writes memory */
    RULE_REG = 1 << 2,   /* has no memory operand */
    RULE_W8 = 1 << 3,    /* bits of the first operand */
    RULE_W16 = 1 << 4,
    RULE_W32 = 1 << 5,
    RULE_W64 = 1 << 6,
    RULE_W128 = 1 << 7,
    RULE_W256 = 1 << 8,
    RULE_SAME = 1 << 9,   /* both sources are one register */
    RULE_GPR = 1 << 10,   /* the first operand is a general register */
    RULE_VEC = 1 << 11,   /* it is a vector register */
    RULE_INDEX = 1 << 12, /* the address has a base, an index and a displacement */
    RULE_OPS2 = 1 << 13,  /* visible operands */
    RULE_OPS3 = 1 << 14,
    RULE_ONE = 1 << 15,      /* the last operand is the constant 1 */
    RULE_CL = 1 << 16,       /* the last operand is cl */
    RULE_IMM = 1 << 17,      /* it is a constant */
    RULE_FROM_GPR = 1 << 18, /* one behind the first is a general register */
    RULE_FROM_VEC = 1 << 19,
    RULE_LOCK = 1 << 20,
    RULE_REP = 1 << 21,
    RULE_OPS1 = 1 << 22,
    RULE_HIGH = 1 << 23, /* ah, bh, ch or dh is among the operands */
};

enum rule_effect {
    EFFECT_MOVE = 1 << 0,  /* a copy between registers: may be eliminated */
    EFFECT_ZERO = 1 << 1,  /* depends on nothing */
    EFFECT_MERGE = 1 << 2, /* what it writes it reads, too */
    EFFECT_FREE = 1 << 3,  /* needs no port */
    EFFECT_VALUE = 1 << 4, /* a division: its time depends on the quotient's bits */
    EFFECT_ALONE = 1 << 5, /* waits for all before it, and all behind it wait */
    EFFECT_FRESH = 1 << 6, /* does not wait for what it writes */
};

struct model_rule {
    const char **names; /* a last '*' stands for any ending; NULL last */
    uint32_t words;
    uint8_t n_ops, slots; /* 0 slots: as many as operations */
    uint8_t cycles;       /* of the result; 0: the first operation's */
    uint8_t effects;
    uint8_t ops[RULE_OPS]; /* the first makes the result */
    uint8_t every;         /* of the first operation; 0: its own */
    uint8_t value_bits;    /* of EFFECT_VALUE: bits of the quotient that a cycle makes */
};

struct model {
    const char *name;
    const char *ports[MODEL_PORTS];
    uint32_t n_ports;
#define MODEL_FIELD(name, least, most) uint32_t name;
    MODEL_NUMBERS(MODEL_FIELD)
#undef MODEL_FIELD
    uint8_t op_load, op_load_fp, op_store, op_store_data,
        op_store_fp; /* ops that every model has */
    struct model_ops {
        VEC(struct model_op);
    } ops;
    struct model_rules {
        VEC(struct model_rule);
    } rules;
    struct arena arena;
};

/* Of text; `from` is its name in errors. */
bool model_read(const char *text, size_t bytes, const char *from, struct model *ret_model,
                struct err *err);
/* One that gait knows by name, or a file (of which the name has a '/' or ends in ".core"). */
bool model_open(const char *name, struct model *ret_model, struct err *err);
void model_release(struct model *model);

/* The text of one that gait knows by name, or NULL. */
const char *model_text(const char *name, size_t *ret_bytes);
/* Names of those that gait knows, NULL last. */
extern const char *const model_names[];

/* Whether a rule's names have this mnemonic; with a 'v' before it for those with VEX or EVEX. */
bool rule_names(const struct model_rule *rule, const char *mnemonic, bool vex);

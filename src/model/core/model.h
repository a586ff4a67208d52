/* A processor core as data: widths, queues, ports, caches, and what each instruction asks of them.
 *
 * It is read from text (cores/NAME.core, described in docs/CORE.md): lines of words, '#' to the end
 * of a line is a comment. "NAME NUMBER" sets one of numbers.def; "ports NAME..." names up to 32 of
 * them; "op NAME ports=A|B lat=N" is something that a port does; "insn NAME,NAME WORD... = OP..."
 * says what an instruction is made of. The first rule whose names and words all fit is the one;
 * "rules NAME" stands for those of another core that gait knows. A model does not change once it is
 * read. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { MODEL_PORTS = 32, RULE_OPS = 6 };

/* What one port does once. */
struct model_op {
    const char *name;
    uint32_t ports; /* any of these */
    uint8_t cycles; /* to its result */
    uint8_t every;  /* cycles until the port takes the next */
};

/* What must hold of an instruction for a rule to fit; all bits of `words` must be among those of
 * the instruction. */
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
    RULE_W512 = 1 << 24,
    RULE_SMALL = 1 << 25,  /* the last operand is a constant of at most 11 bits, with its sign */
    RULE_OFFSET = 1 << 26, /* the address is one register and a constant of that size */
    RULE_SCALED = 1 << 27, /* it has an index that is multiplied */
    RULE_SELF = 1 << 28,   /* the first two operands are one register, or parts of it */
};

enum rule_effect {
    EFFECT_MOVE = 1 << 0,  /* a copy between registers: may be eliminated */
    EFFECT_ZERO = 1 << 1,  /* depends on nothing */
    EFFECT_MERGE = 1 << 2, /* what it writes it reads, too */
    EFFECT_FREE = 1 << 3,  /* needs no port */
    EFFECT_VALUE = 1 << 4, /* a division: its time depends on the quotient's bits */
    EFFECT_ALONE = 1 << 5, /* waits for all before it, and all behind it wait */
    EFFECT_FRESH = 1 << 6, /* does not wait for what it writes */
    EFFECT_NEW = 1 << 7,   /* waits for no register, but needs its port */
    EFFECT_CHAIN = 1 << 8, /* the next of its kind has its result a cycle earlier than others */
};

struct model_rule {
    const char **names; /* a last '*' stands for any ending; NULL last */
    uint32_t words;
    uint8_t n_ops, slots; /* 0 slots: as many as operations */
    uint8_t cycles;       /* of the result; 0: the first operation's */
    uint16_t effects;
    uint8_t ops[RULE_OPS]; /* the first makes the result */
    uint8_t every;         /* of the first operation; 0: its own */
    uint8_t late;          /* cycles more to the upper half of a product */
    uint8_t value_bits;    /* of EFFECT_VALUE: bits of the quotient that a cycle makes */
};

struct model {
    const char *name;
    const char *ports[MODEL_PORTS];
    uint32_t n_ports;
#define NUMBER(name, least, most) uint32_t name;
#include "model/core/numbers.def"
#undef NUMBER
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
/* One that gait knows by name, "native" for the one most like this machine, or a file (of which the
 * name has a '/' or ends in ".core"). */
bool model_open(const char *name, struct model *ret_model, struct err *err);
void model_release(struct model *model);

/* The text of one that gait knows by name, or NULL. */
const char *model_text(const char *name, size_t *ret_bytes);
/* Names of those that gait knows, NULL last. */
extern const char *const model_names[];

/* Whether a rule's names have this mnemonic; with a 'v' before it for those with VEX or EVEX. */
bool rule_names(const struct model_rule *rule, const char *mnemonic, bool vex);

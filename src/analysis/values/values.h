/* The most frequent values that places compute, load, divide by or copy, with their shares.
 *
 * A share is a ratio of two sums over batches of walks, with the interval of such a ratio
 * (Student's t; the degrees of freedom are those of equally large batches). The interval is never
 * narrower than that of a binomial share of as many windows, because batches can be alike by
 * chance. */
#pragma once

#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"
#include "analysis/values/value_type.h"
#include "compress/hotlist.h"

enum value_use { /* in the order of what knowing it is worth */
                 VALUE_DIVISOR,
                 VALUE_SIZE,
                 VALUE_TARGET, /* where an indirect call went */
                 VALUE_LOAD,
                 VALUE_OPERAND,
                 VALUE_RESULT,
                 VALUE_ADDRESS,
                 VALUE_STRIDES,  /* from an address to the next of the same place */
                 VALUE_ARGUMENT, /* of a function, by its entry */
                 VALUE_RETURN,   /* what a return instruction hands back */
                 VALUE_SYSCALL,  /* number or argument of a system call */
                 VALUE_CUSTOM,   /* what a module made */
                 VALUE_THREAD,   /* of a run of code: who ran it, */
                 VALUE_CPU,      /* where, */
                 VALUE_NODE,
                 VALUE_USER,    /* for whom, */
                 VALUE_SIGNAL,  /* with which signals blocked, */
                 VALUE_PENDING, /* and which of them waiting */
                 VALUE_LOCK,    /* what was held */
                 VALUE_LINE,    /* of a timed load: cache line and where it was */
                 VALUE_PAGE,    /* of an access: its physical page */
                 VALUE_USES
};
/* What is shown unless kinds are asked for: those of instructions. */
enum { VALUE_KINDS_USUAL = (1 << VALUE_THREAD) - 1 };

struct place_value {
    uint64_t value;
    uint32_t to; /* the module of the scene that it is an address of; MODULE_NONE: it is a number */
    double count; /* how often it was seen, for certain */
    struct estimate share;
};

struct value_place {
    uint32_t module; /* of the scene */
    uint64_t address;
    uint8_t use;    /* enum value_use */
    uint8_t detail; /* a register, where there is one (wire/payload.h) */
    bool vector;    /* the lowest word of a vector register */
    bool constant;  /* it is written in the code, or by the loader: that it is always the same is no
                       news */
    struct value_form form;
    uint32_t caller_module; /* of the scene; MODULE_NONE: places are not told apart by callers, or
                               it is not known */
    uint64_t caller;        /* where it returns to */
    double total;           /* how often the place was seen */
    double unsure;   /* threshold of its hotlist (hotlist_unsure); not a number: it has none */
    double saves;    /* cycles of a thousand instructions of the program, if its values were known:
                        what it is sorted by */
    size_t first, n; /* of values */
};

struct places_values {
    struct scene *scene;
    uint32_t kinds;            /* bits of enum value_use: those that are here, if there are any */
    double total;              /* of all places */
    enum hotlist_kind hotlist; /* HOTLIST_KINDS: none */
    struct {
        VEC(struct place_value);
    } values; /* of each place: the most frequent first */
    VEC(struct value_place);
};

const char *value_use_name(enum value_use use);
/* False: there is none of that name. */
bool value_use_find(const char *name, enum value_use *ret_use);
/* Its places are not instructions but the runs of code that begin there. */
static inline bool value_use_of_runs(enum value_use use)
{
    return use >= VALUE_THREAD && use <= VALUE_LOCK;
}
/* The value as its kind is shown. Holds until the scene is closed, or the next. */
const char *value_words(struct scene *scene, const struct value_place *place,
                        const struct place_value *value);

void values_make(struct places_values *places, struct scene *scene, uint32_t kinds);
void values_release(struct places_values *places);

/* A place whose values are the last of all, from `first` on. */
void values_place_add(struct places_values *places, struct value_place *place);
/* Indirect calls and where they went, from edges: any recording of walks has them. */
void values_targets(struct places_values *places);
/* What places of instructions save, once all are there: of sampled recordings. */
void values_savings(struct places_values *places);

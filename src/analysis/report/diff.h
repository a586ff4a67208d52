/* What changed between two recordings, of one build or of two.
 *
 * Modules are paired by name; the two programs are a pair whatever their names. Functions are
 * paired by linkage name without compiler suffixes: "f.part.0" and "f.constprop.1" are parts of f,
 * and their sums are compared. Lines of two builds are aligned function by function
 * (diff_lines.h). Code without names can only be compared within one build; else it is one row per
 * module. So is a module whose binary exists on one side only.
 *
 * A change is after minus before. Its interval combines those of both sides (MOVER: the distances
 * to the far ends, squared and added). It covers the chance of sampling only: two runs of one
 * program differ too. Some of many rows exceed their own 95 % interval by chance. So a row is
 * `sure` only beyond an interval widened for the number of rows (Bonferroni). */
#pragma once

#include "base/intern.h"
#include "analysis/counts/items.h"
#include "analysis/counts/labels.h"

struct err;

enum { BEFORE, AFTER };
enum diff_by { DIFF_FUNCTION, DIFF_LINE, DIFF_MODULE, DIFF_BYS };
const char *diff_by_name(enum diff_by by);

struct diff_row {
    uint32_t module;                   /* of diff.modules */
    const char *name;                  /* linkage; NULL: by module */
    const char *file;                  /* NULL: not by line, or not known */
    uint32_t lines[SIDES_MAX];         /* 0: has none there, or not known */
    bool seen[SIDES_MAX];              /* has weight there */
    struct estimate amount[SIDES_MAX]; /* seconds or instructions */
    struct estimate share[SIDES_MAX];
    struct estimate change, share_change;
    bool beyond;     /* its own 95 % interval excludes no change */
    bool sure;       /* and so does the one widened for all rows */
    bool share_sure; /* the same of the change of its share */
};

struct diff_module {
    const char *names[SIDES_MAX]; /* NULL: not there */
    bool same_build;
    bool shown;    /* not filtered out */
    bool nameless; /* the binary of a side is not there: functions of the other would all look gone
                    */
};

struct diff {
    struct arena arena;
    struct intern names,
        files; /* of functions, without suffixes; of source files, without folders */
    enum diff_by by;
    enum weight weight; /* time: seconds of user CPU time; count: instructions executed */
    struct scene *scenes[SIDES_MAX];
    struct diff_modules {
        VEC(struct diff_module);
    } modules;
    double totals[SIDES_MAX]; /* seconds or instructions in all */
    bool exact;               /* figures on both sides are counts, without chance */
    bool same_build;          /* all modules that both have are, but for the agent */
    VEC(struct diff_row);     /* the largest change first */
};

struct diff_options {
    enum diff_by by;
    enum weight weight;
    bool has_weight;    /* else what both have: time before count */
    const char *module; /* only this one, by path or name on either side; NULL: all */
};

/* Each scene has one side and shows all modules. Fails if there is no such module, or if the two
 * have nothing that can be compared. */
bool diff_make(struct diff *diff, struct scene *before, struct scene *after,
               struct diff_options options, struct err *err);
void diff_release(struct diff *diff);

/* For rows of other kinds (diff_contexts.h). After less before. */
struct estimate diff_change_of(const struct estimate *sides);
/* How much wider intervals of n rows must be to hold together; degrees: of freedom of each. */
double diff_widening(uint64_t n, uint64_t degrees);
/* Whether the interval, so much wider, excludes no change. */
bool diff_excludes_zero(struct estimate change, double widen);
/* Whether all modules that both sides have are of one build. */
bool diff_same_build(const struct diff *diff);

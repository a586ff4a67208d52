/* One function, instruction by instruction: its cost, its branch targets and its source. */
#pragma once

#include "base/map.h"
#include "program/insn/assembly.h"
#include "program/source.h"
#include "analysis/counts/counted.h"
#include "analysis/report/report.h"

/* Where an indirect branch was seen to go. */
struct annotated_target {
    const char *text; /* a label, or a function's readable name */
    uint32_t module;  /* of the scene */
    uint64_t at;
    struct estimate count;
};

/* A source line that an instruction belongs to. */
struct annotated_site {
    uint32_t file; /* index in annotation->files */
    uint32_t line; /* 0: not known */
};

struct annotated {
    struct instruction instruction;
    const char *assembly;
    uint32_t label; /* counted from 1; 0: no jump of the function leads here */
    bool seen;      /* it ran, or was interrupted */
    /* What the profile does not have is not a number. */
    struct estimate share, count, time, total; /* total: of a call, with what it called */
    struct estimate taken;                     /* share of executions of a conditional branch */
    struct estimate cpi;
    size_t first_target, n_targets; /* in annotation->targets, most often first */
    const char *file;               /* NULL: not known */
    uint32_t line;
    size_t first_inlined, n_inlined; /* in annotation->inlined, the innermost first */
    /* In annotation->sites: its own line, then those of the inlined calls around it, outwards. */
    size_t first_site, n_sites;
};

struct annotation {
    const struct report *report;
    const struct report_row *row; /* of a report by function */
    struct binary *binary;
    struct counted_function counted; /* as recorded */
    struct annotated_targets {
        VEC(struct annotated_target);
    } targets;
    struct annotated_names {
        VEC(const char *); /* as linked */
    } inlined;
    struct annotated_sites {
        VEC(struct annotated_site);
    } sites;
    struct map file_keys; /* pointer of the file's name */
    struct annotated_files {
        VEC(const char *); /* of sites; the same pointer for the same file */
    } files;
    struct groups *plain;  /* of a plain profile: what each instruction weighs; NULL: of another */
    VEC(struct annotated); /* one for each of the graph's instructions, in its order */
};

/* What all annotations of one report need. */
struct annotator {
    struct report *report;
    enum assembly_syntax syntax;
    struct plain_rows instructions; /* of a plain profile */
};

/* The report is by function; `rows` are those that will be asked for. */
void annotator_begin(struct annotator *annotator, struct report *report,
                     const struct report_row *const *rows, size_t n_rows,
                     enum assembly_syntax syntax);
void annotator_end(struct annotator *annotator);

/* False if there is no code to show. */
bool annotation_make(struct annotation *annotation, const struct annotator *annotator,
                     const struct report_row *row, struct err *err);
void annotation_release(struct annotation *annotation);

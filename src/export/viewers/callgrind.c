/* callgrind's format, as callgrind_annotate and KCachegrind read it:
 * https://valgrind.org/docs/manual/cl-format.html. Where that page and valgrind's own writer
 * differ, this does what the writer does: jcnd= has how often a branch was taken, then how often it
 * was executed. */
#include "base/version.h"
#include "export/viewers/callgrind_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct callgrind {
    FILE *to;
    struct export_job *job;
    bool instructions;                    /* positions have an address before the line */
    struct strings files, names, objects; /* each written in full once, then by number */
    uint32_t files_n, names_n, objects_n; /* so many were written */
};

struct callgrind_row callgrind_row_at(struct named_places *places, uint32_t module,
                                      uint64_t address)
{
    uint32_t number = named_places_find(places, module, address);
    struct named_place place = places->at[number];
    const struct place_frame *inner = &places->frames.at[place.first_frame];
    const struct place_frame *outer = inner + place.n_frames - 1;
    return (struct callgrind_row){.function = outer->function,
                                  .kind = ROW_COST,
                                  .file = inner->file,
                                  .line = inner->line,
                                  .address = address};
}

/* ---- pieces */

/* "fn=(3) name", the next time "fn=(3)". A newline would end the record. */
static void put_name(struct callgrind *callgrind, const char *key, struct strings *strings,
                     uint32_t *written, const char *name)
{
    uint32_t id = strings_add(strings, name && *name ? name : "???");
    fprintf(callgrind->to, "%s=(%" PRIu32 ")", key, id);
    if (id > *written) {
        *written = id;
        fputc(' ', callgrind->to);
        for (name = strings->at[id]; *name; name++)
            fputc((unsigned char)*name < ' ' ? '?' : *name, callgrind->to);
    }
    fputc('\n', callgrind->to);
}

static void put_file(struct callgrind *callgrind, const char *key, const char *file)
{
    put_name(callgrind, key, &callgrind->files, &callgrind->files_n, file);
}

static void put_function(struct callgrind *callgrind, const char *key, uint32_t function)
{
    put_name(callgrind, key, &callgrind->names, &callgrind->names_n,
             callgrind->job->places.functions.at[function].name);
}

static const char *object_of(const struct callgrind *callgrind, uint32_t function)
{
    uint32_t module = callgrind->job->places.functions.at[function].module;
    const struct modules *modules = &callgrind->job->profile->modules;
    return module < modules->n ? modules->at[module].path : NULL;
}

static void put_object(struct callgrind *callgrind, const char *key, uint32_t function)
{
    put_name(callgrind, key, &callgrind->objects, &callgrind->objects_n,
             object_of(callgrind, function));
}

static void put_position(struct callgrind *callgrind, uint64_t address, uint32_t line)
{
    if (callgrind->instructions)
        fprintf(callgrind->to, "0x%" PRIx64 " ", address);
    fprintf(callgrind->to, "%" PRIu32, line);
}

/* ---- rows */

static void put_call(struct callgrind *callgrind, const struct callgrind_row *row)
{
    put_object(callgrind, "cob", row->callee);
    put_file(callgrind, "cfi", callgrind->job->places.functions.at[row->callee].file);
    put_function(callgrind, "cfn", row->callee);
    fprintf(callgrind->to, "calls=%" PRIu64 " ", row->count);
    put_position(callgrind, row->to, row->to_line);
    fputc('\n', callgrind->to);
    put_position(callgrind, row->address, row->line);
    fprintf(callgrind->to, " %" PRIu64 "\n", row->cost);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* A file that has no number yet gets none here: readers that skip jumps would not learn of it. */
static void put_jump_file(struct callgrind *callgrind, const char *file)
{
    if (strings_known(&callgrind->files, file ? file : "???"))
        put_file(callgrind, "jfi", file);
    else
        fprintf(callgrind->to, "jfi=%s\n", file ? file : "???");
}

static void put_jump(struct callgrind *callgrind, const struct callgrind_row *row)
{
    if (!same_text(row->file, row->to_file))
        put_jump_file(callgrind, row->to_file);
    if (row->kind == ROW_BRANCH)
        fprintf(callgrind->to, "jcnd=%" PRIu64 "/%" PRIu64 " ", row->count, row->all);
    else
        fprintf(callgrind->to, "jump=%" PRIu64 " ", row->count);
    put_position(callgrind, row->to, row->to_line);
    fputc('\n', callgrind->to);
    put_position(callgrind, row->address, row->line);
    fputc('\n', callgrind->to);
}

static void put_row(struct callgrind *callgrind, const struct callgrind_row *row)
{
    switch ((enum callgrind_kind)row->kind) {
    case ROW_COST:
        put_position(callgrind, row->address, row->line);
        fprintf(callgrind->to, " %" PRIu64 "\n", row->cost);
        break;
    case ROW_CALL: put_call(callgrind, row); break;
    case ROW_JUMP:
    case ROW_BRANCH: put_jump(callgrind, row); break;
    }
}

/* By function and place, so that output depends on neither memory nor the order of records. */
struct ranked {
    const struct callgrind_row *row;
    const struct place_function *function;
};

static int text_compare(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int number_compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int ranked_compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int order = number_compare(x->function->module, y->function->module);
    order = order ? order : number_compare(x->function->start, y->function->start);
    order = order ? order : number_compare(x->row->function, y->row->function);
    order = order ? order : number_compare(x->row->address, y->row->address);
    order = order ? order : text_compare(x->row->file, y->row->file);
    order = order ? order : number_compare(x->row->line, y->row->line);
    order = order ? order : number_compare(x->row->kind, y->row->kind);
    order = order ? order : number_compare(x->row->to, y->row->to);
    return order ? order : number_compare(x->row->callee, y->row->callee);
}

static void put_rows(struct callgrind *callgrind, const struct callgrind_rows *rows)
{
    struct ranked *ranked = mem_alloc((rows->n + 1) * sizeof *ranked);
    for (size_t i = 0; i < rows->n; i++)
        ranked[i] = (struct ranked){&rows->at[i],
                                    &callgrind->job->places.functions.at[rows->at[i].function]};
    if (rows->n)
        qsort(ranked, rows->n, sizeof *ranked, ranked_compare);
    const char *file = NULL;
    for (size_t i = 0; i < rows->n; i++) {
        const struct callgrind_row *row = ranked[i].row;
        const char *own = ranked[i].function->file;
        if (!i || ranked[i - 1].row->function != row->function) {
            fputc('\n', callgrind->to);
            put_object(callgrind, "ob", row->function);
            put_file(callgrind, "fl", file = own);
            put_function(callgrind, "fn", row->function);
        }
        if (!same_text(file, row->file))
            put_file(callgrind, same_text(row->file, own) ? "fe" : "fi", file = row->file);
        put_row(callgrind, row);
    }
    mem_free(ranked);
}

/* ---- all */

/* A word: "cpu-clock" becomes "cpu_clock". */
static void put_events(struct callgrind *callgrind)
{
    const struct tree *tree = &callgrind->job->tree;
    if (tree->unit == UNIT_INSTRUCTIONS) {
        fputs("event: Ir : Instructions executed\nevents: Ir\n", callgrind->to);
    } else if (tree->unit == UNIT_NANOSECONDS) {
        fputs("event: ns : Nanoseconds of CPU time\nevents: ns\n", callgrind->to);
    } else {
        fputs("events: ", callgrind->to);
        for (const char *name = tree_unit_name(tree); *name; name++)
            fputc(isalnum((unsigned char)*name) ? *name : '_', callgrind->to);
        fputc('\n', callgrind->to);
    }
}

static void put_head(struct callgrind *callgrind)
{
    const struct profile *profile = callgrind->job->profile;
    fprintf(callgrind->to, "# callgrind format\nversion: 1\ncreator: gait " GAIT_VERSION "\ncmd: ");
    for (const char *at = profile->command ? profile->command : ""; *at; at++)
        fputc((unsigned char)*at < ' ' ? ' ' : *at, callgrind->to);
    fprintf(callgrind->to, "\npart: 1\ndesc: Mode: %s\n", profile_mode_name(profile->mode));
    if (profile->mode == PROFILE_PLAIN)
        fputs("desc: Calls: how often is not known; 1 stands for any number\n", callgrind->to);
    else
        fputs(profile->call_costs.cells.n
                  ? "desc: Calls: counted, with what they cost; that of recursion in its outermost "
                    "call\n"
                  : "desc: Calls: counted; what they cost is 0 where counts do not tell\n",
              callgrind->to);
    fprintf(callgrind->to, "positions: %s\n", callgrind->instructions ? "instr line" : "line");
    put_events(callgrind);
    fprintf(callgrind->to, "summary: %" PRIu64 "\n", callgrind->job->tree.total);
}

bool callgrind_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    bool plain = job->profile->mode == PROFILE_PLAIN;
    struct callgrind callgrind = {.to = to, .job = job, .instructions = !plain};
    struct callgrind_rows rows = {0};
    strings_init(&callgrind.files);
    strings_init(&callgrind.names);
    strings_init(&callgrind.objects);
    if (plain)
        callgrind_from_stacks(&rows, job);
    else
        callgrind_from_counts(&rows, job);
    put_head(&callgrind);
    put_rows(&callgrind, &rows);
    fprintf(to, "\ntotals: %" PRIu64 "\n", job->tree.total);
    vec_release(&rows);
    strings_release(&callgrind.files);
    strings_release(&callgrind.names);
    strings_release(&callgrind.objects);
    return true;
}

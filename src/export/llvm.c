/* What clang -fprofile-sample-use reads: LLVM's sample profile as text, from the same counts and by the same rules as llvm-profgen makes
 * it of straight runs and branches (llvm-raw).
 *
 *     FUNCTION:TOTAL:HEAD
 *      LINE.DISCRIMINATOR: COUNT CALLED:COUNT ...
 *      LINE.DISCRIMINATOR: INLINED:TOTAL
 *       ...
 *
 * Functions come by total, from the largest. A discriminator has several parts, each in a code that grows with its value: the first tells places apart, the
 * second says how often a loop was unrolled or vectorised, so that what is left of its body counts for as many. */
#include "export/export.h"
#include "export/source_counts.h"
#include "program/binary.h"
#include "program/symtab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the dialect */

/* One part: an odd number is none; else 5 bits, or 12 if the sixth is set. */
static uint32_t part_value(uint32_t coded)
{
    uint32_t bits = coded >> 1;
    if (coded & 1)
        return 0;
    return bits & 0x20 ? (bits >> 1 & 0xFE0) | (bits & 0x1F) : bits & 0x1F;
}

static uint32_t part_next(uint32_t coded)
{
    return coded & 1 ? coded >> 1 : coded >> (coded & 0x40 ? 14 : 7);
}

/* Three bits set mark a call that has a probe: its number. */
static uint32_t discriminator_base(uint32_t discriminator)
{
    return (discriminator & 7) == 7 ? discriminator >> 3 & 0xFFFF : part_value(discriminator);
}

static uint32_t discriminator_copies(uint32_t discriminator)
{
    uint32_t copies = part_value(part_next(discriminator));
    return copies ? copies : 1;
}

static uint32_t discriminator_whole(uint32_t discriminator)
{
    return discriminator;
}

static uint32_t copies_one(uint32_t discriminator)
{
    (void)discriminator;
    return 1;
}

/* What the compiler that reads the profile leaves out as well: ".llvm.123", ".part.0", when nothing follows but the number. */
static size_t llvm_name_length(const char *linkage)
{
    static const char *const endings[] = {".llvm.", ".part."};
    size_t length = strlen(linkage);
    if (strpbrk(linkage, " \n"))
        return 0; /* no name of the linker's, and one that readers would take for several */
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]), dot = length;
        while (dot && linkage[dot - 1] != '.')
            dot--;
        if (dot >= ending && strncmp(linkage + dot - ending, endings[i], ending) == 0)
            length = dot - ending;
    }
    return length;
}

static const struct source_dialect llvm_dialect = {llvm_name_length, discriminator_base,
                                                   discriminator_copies};
/* Of programs built with -enable-fs-discriminator, which have a symbol that says so. */
static const struct source_dialect llvm_fs_dialect = {llvm_name_length, discriminator_whole,
                                                      copies_one};

/* ---- writing */

struct writer {
    FILE *to;
    const struct source_counts *counts;
    uint32_t *first_child; /* of each body: in children; one more than bodies */
    uint32_t *children;    /* by parent, then place and name; functions by total at the end */
    uint32_t n_bodies;
};

static int child_order(const void *a, const void *b, void *context)
{
    const struct source_counts *counts = context;
    const struct source_body *x = &counts->bodies.at[*(const uint32_t *)a];
    const struct source_body *y = &counts->bodies.at[*(const uint32_t *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->parent == BODY_NONE && x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int by_place = source_place_order(x->site, y->site);
    return by_place ? by_place : strcmp(source_name(counts, x->name), source_name(counts, y->name));
}

static void children_sort(struct writer *writer)
{
    const struct source_bodies *bodies = &writer->counts->bodies;
    writer->n_bodies = (uint32_t)bodies->n;
    writer->children = mem_alloc((bodies->n + 1) * sizeof *writer->children);
    writer->first_child = mem_alloc((bodies->n + 1) * sizeof *writer->first_child);
    for (uint32_t i = 0; i < bodies->n; i++)
        writer->children[i] = i;
    qsort_r(writer->children, bodies->n, sizeof *writer->children, child_order,
            (void *)(uintptr_t)writer->counts);
    uint32_t at = 0;
    for (uint32_t body = 0; body <= bodies->n; body++) {
        writer->first_child[body] = at;
        while (body < bodies->n && at < bodies->n &&
               bodies->at[writer->children[at]].parent == body)
            at++;
    }
}

static void place_write(struct writer *writer, uint32_t depth, struct source_place place)
{
    fprintf(writer->to, "%*s%" PRIu32, (int)depth + 1, "", place.line);
    if (place.discriminator)
        fprintf(writer->to, ".%" PRIu32, place.discriminator);
    fputs(": ", writer->to);
}

/* The first of those sorted by body. */
static size_t first_of(const void *at, size_t n, size_t bytes, uint32_t body)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t there; /* a body is the first member of both kinds */
        memcpy(&there, (const char *)at + middle * bytes, sizeof there);
        if (there < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void samples_write(struct writer *writer, uint32_t body)
{
    const struct source_samples *samples = &writer->counts->samples;
    const struct source_targets *targets = &writer->counts->targets;
    uint32_t depth = writer->counts->bodies.at[body].depth;
    size_t t = first_of(targets->at, targets->n, sizeof *targets->at, body);
    for (size_t i = first_of(samples->at, samples->n, sizeof *samples->at, body);
         i < samples->n && samples->at[i].body == body; i++) {
        const struct source_sample *sample = &samples->at[i];
        uint64_t called = 0, count = sample->count;
        size_t last = t;
        for (; last < targets->n && targets->at[last].body == body &&
               source_place_order(targets->at[last].place, sample->place) == 0;
             last++)
            called += targets->at[last].count;
        /* Of a function, a line that called ran at least as often. */
        if (!depth && count < called)
            count = called;
        place_write(writer, depth, sample->place);
        fprintf(writer->to, "%" PRIu64, count);
        for (; t < last; t++)
            fprintf(writer->to, " %s:%" PRIu64, source_name(writer->counts, targets->at[t].name),
                    targets->at[t].count);
        fputc('\n', writer->to);
    }
}

/* Made by the compiler, one in every file: a profile cannot tell them apart. */
static bool is_ambiguous(const struct writer *writer, uint32_t body)
{
    const char *name = source_name(writer->counts, writer->counts->bodies.at[body].name);
    return strncmp(name, "__cxx_global_var_init", strlen("__cxx_global_var_init")) == 0 ||
           strncmp(name, "__tls_init", strlen("__tls_init")) == 0;
}

/* As deep as functions were inlined into each other, which is bounded. */
static void body_write(struct writer *writer, uint32_t number)
{
    const struct source_body *body = &writer->counts->bodies.at[number];
    fprintf(writer->to, "%s:%" PRIu64, source_name(writer->counts, body->name), body->total);
    if (body->parent == BODY_NONE)
        fprintf(writer->to, ":%" PRIu64, body->head);
    fputc('\n', writer->to);
    samples_write(writer, number);
    for (uint32_t i = writer->first_child[number]; i < writer->first_child[number + 1]; i++) {
        uint32_t child = writer->children[i];
        if (is_ambiguous(writer, child))
            continue;
        place_write(writer, body->depth, writer->counts->bodies.at[child].site);
        body_write(writer, child);
    }
}

bool llvm_write(FILE *to, struct export_job *job, struct err *err)
{
    struct source_counts counts;
    bool fs = image_has_symbol(&job->code.binary->image, "__llvm_fs_discriminator__");
    if (!source_counts_make(&counts, &job->code, fs ? &llvm_fs_dialect : &llvm_dialect, err))
        return false;
    struct writer writer = {.to = to, .counts = &counts};
    children_sort(&writer);
    for (uint32_t i = writer.first_child[counts.bodies.n]; i < counts.bodies.n; i++)
        if (!is_ambiguous(&writer, writer.children[i]))
            body_write(&writer, writer.children[i]);
    mem_free(writer.children);
    mem_free(writer.first_child);
    source_counts_release(&counts);
    return true;
}

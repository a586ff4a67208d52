/* What clang -fprofile-sample-use reads: LLVM's sample profile as text, from the same counts and by
 * the same rules as llvm-profgen makes it of straight runs and branches (llvm-raw).
 *
 *     FUNCTION:TOTAL:HEAD
 *      LINE.DISCRIMINATOR: COUNT CALLED:COUNT ...
 *      LINE.DISCRIMINATOR: INLINED:TOTAL
 *       ...
 *
 * Of a program with probes (program/probes.h), LINE is the number of a probe, and a checksum
 * follows each function. Functions come by total, from the largest. A discriminator has several
 * parts, each in a code that grows with its value: the first tells places apart, the second says
 * how often a loop was unrolled or vectorised, so that what is left of its body counts for as many.
 */
#include "export/job/job.h"
#include "export/compilers/recorded.h"
#include "export/compilers/source_counts.h"
#include "program/binary.h"
#include "program/elf/symtab.h"
#include "program/probes.h"

#include <inttypes.h>
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

/* What the compiler that reads the profile leaves out as well: ".llvm.123", ".part.0", when nothing
 * follows but the number. */
static const char *llvm_any_name(struct arena *arena, const char *linkage)
{
    static const char *const endings[] = {".llvm.", ".part."};
    size_t length = strlen(linkage);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]), dot = length;
        while (dot && linkage[dot - 1] != '.')
            dot--;
        if (dot >= ending && strncmp(linkage + dot - ending, endings[i], ending) == 0)
            length = dot - ending;
    }
    return linkage[length] ? arena_string_n(arena, linkage, length) : linkage;
}

/* Without what is no name of the linker's, and what readers would take for several. */
static const char *llvm_name(struct arena *arena, const char *linkage)
{
    return strpbrk(linkage, " \n") ? NULL : llvm_any_name(arena, linkage);
}

const struct source_dialect llvm_dialect = {
    .name = llvm_name, .discriminator = discriminator_base, .copies = discriminator_copies};
/* Of programs built with -enable-fs-discriminator, which have a symbol that says so. */
static const struct source_dialect llvm_fs_dialect = {
    .name = llvm_name, .discriminator = discriminator_whole, .copies = copies_one};
/* llvm-profgen leaves no name out. */
static const struct source_dialect llvm_recorded_dialect = {
    .name = llvm_any_name, .discriminator = discriminator_base, .copies = discriminator_copies};

/* ---- writing */

struct writer {
    FILE *to;
    const struct source_counts *counts;
};

static void place_write(struct writer *writer, uint32_t depth, struct source_place place)
{
    fprintf(writer->to, "%*s%" PRIu32, (int)depth + 1, "", place.line);
    if (place.discriminator)
        fprintf(writer->to, ".%" PRIu32, place.discriminator);
    fputs(": ", writer->to);
}

static void samples_write(struct writer *writer, const struct source_body *body)
{
    const struct source_sample *samples = writer->counts->samples.at + body->first_sample;
    const struct source_target *targets = writer->counts->targets.at + body->first_target;
    uint32_t t = 0;
    for (uint32_t i = 0; i < body->n_samples; i++) {
        uint64_t called = 0, count = samples[i].count;
        uint32_t last = t;
        for (; last < body->n_targets &&
               source_place_order(targets[last].place, samples[i].place) == 0;
             last++)
            called += targets[last].count;
        /* Of a function, a line or probe that called ran at least as often. */
        if (body->parent == BODY_NONE && count < called)
            count = called;
        place_write(writer, body->depth, samples[i].place);
        fprintf(writer->to, "%" PRIu64, count);
        for (; t < last; t++)
            fprintf(writer->to, " %s:%" PRIu64, source_name(writer->counts, targets[t].name),
                    targets[t].count);
        fputc('\n', writer->to);
    }
}

/* Made by the compiler, one in every file: a profile cannot tell them apart. */
static bool is_ambiguous(const struct writer *writer, const struct source_body *body)
{
    const char *name = source_name(writer->counts, body->name);
    return strncmp(name, "__cxx_global_var_init", strlen("__cxx_global_var_init")) == 0 ||
           strncmp(name, "__tls_init", strlen("__tls_init")) == 0;
}

/* As deep as functions were inlined into each other, which is bounded. */
static void body_write(struct writer *writer, const struct source_body *body)
{
    fprintf(writer->to, "%s:%" PRIu64, source_name(writer->counts, body->name), body->total);
    if (body->parent == BODY_NONE)
        fprintf(writer->to, ":%" PRIu64, body->head);
    fputc('\n', writer->to);
    samples_write(writer, body);
    const uint32_t *children = writer->counts->children + body->first_child;
    for (uint32_t i = 0; i < body->n_children; i++) {
        const struct source_body *child = &writer->counts->bodies.at[children[i]];
        if (is_ambiguous(writer, child))
            continue;
        place_write(writer, body->depth, child->site);
        body_write(writer, child);
    }
    if (writer->counts->probed)
        fprintf(writer->to, "%*s!CFGChecksum: %" PRIu64 "\n", (int)body->depth + 1, "",
                body->checksum);
}

/* Probes tell blocks apart that lines cannot; clang then asks for them again. */
static bool counts_make(struct source_counts *counts, const struct code_counts *code,
                        const struct recorded *recorded, struct err *err)
{
    struct probes probes;
    probes_read(&probes, &code->binary->image);
    bool fs = image_has_symbol(&code->binary->image, FS_DISCRIMINATORS), probed = probes.n;
    const struct source_dialect *dialect = fs         ? &llvm_fs_dialect
                                           : recorded ? &llvm_recorded_dialect
                                                      : &llvm_dialect;
    if (probed)
        source_counts_probed(counts, code, recorded, dialect, &probes);
    probes_release(&probes);
    return probed || source_counts_make(counts, code, recorded, dialect, err);
}

bool llvm_write(FILE *to, struct export_job *job, struct err *err)
{
    struct source_counts counts;
    struct recorded recorded = {0};
    bool raw = recorded_wanted(job);
    if (raw)
        recorded_make(&recorded, job);
    bool ok = raw ? counts_make(&counts, &recorded.code, &recorded, err)
                  : counts_make(&counts, &job->code, NULL, err);
    struct writer writer = {.to = to, .counts = &counts};
    for (uint32_t i = 0; ok && i < counts.n_outermost; i++) {
        const struct source_body *body = &counts.bodies.at[counts.outermost[i]];
        if (!is_ambiguous(&writer, body))
            body_write(&writer, body);
    }
    if (ok)
        source_counts_release(&counts);
    recorded_release(&recorded);
    return ok;
}

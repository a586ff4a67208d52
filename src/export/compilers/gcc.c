/* What gcc -fauto-profile=FILE reads: a table of names, then functions with the counts of their
 * lines, the targets of their calls through pointers, and nested in them the functions that were
 * inlined. Little-endian words of 32 bits; a count is two of them.
 *
 * Which version a compiler reads, and what it makes of it, depends on its own:
 *
 *     gcc 5 to 11    version 1: texts are padded to whole words
 *     gcc 12 to 15   version 2
 *     gcc 16         version 3: a summary, files of functions, times of first execution
 *
 * Up to gcc 12 discriminators are dropped, and of several entries for a line the last is believed:
 * there is one entry a line. Names are cut at the first dot, and the last of those that are then
 * equal is believed: they are cut and added up here. No threshold is read, and what ran more than
 * once counts as hot: so counts are scaled down until lines that matter no more have 1. */
#include "base/err.h"
#include "export/job/job.h"
#include "export/compilers/source_counts.h"

#include <stdlib.h>
#include <string.h>

#define TAG_MAGIC 0x67636461u
#define TAG_SUMMARY 0xa8000000u
#define TAG_NAMES 0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES 0xae000000u
enum { INDIRECT_CALL = 7 };

/* ---- the dialect */

/* What comes behind a dot was put there by the compiler. Constructors and destructors of debug
 * information have a name for all of their variants, which no function has: the one that is inlined
 * stands for it. */
static const char *gcc_name(struct arena *arena, const char *linkage)
{
    size_t length = strcspn(linkage, ".");
    if (!length)
        return NULL;
    char *name = arena_string_n(arena, linkage, length);
    for (char *at = name; strncmp(name, "_Z", 2) == 0 && (at = strpbrk(at, "CD")); at++)
        if (at[1] == '4' && at[2] == 'E')
            at[1] = '2';
    return name;
}

static uint32_t discriminator_none(uint32_t discriminator)
{
    (void)discriminator;
    return 0;
}

static uint32_t discriminator_word(uint32_t discriminator)
{
    return discriminator & 0xFFFF;
}

static uint32_t copies_one(uint32_t discriminator)
{
    (void)discriminator;
    return 1;
}

static const struct source_dialect line_dialect = {
    .name = gcc_name, .symbols = true, .discriminator = discriminator_none, .copies = copies_one};
static const struct source_dialect discriminator_dialect = {
    .name = gcc_name, .symbols = true, .discriminator = discriminator_word, .copies = copies_one};

/* ---- scale */

static int falling_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* The least count among the lines that are 99.9 % of all that ran. */
static uint64_t hot_count(const struct source_samples *samples)
{
    uint64_t *counts = mem_alloc((samples->n + 1) * sizeof *counts);
    u128 all = 0, sum = 0;
    for (size_t i = 0; i < samples->n; i++)
        all += counts[i] = samples->at[i].count;
    qsort(counts, samples->n, sizeof *counts, falling_order);
    size_t i = 0;
    while (i + 1 < samples->n && (sum += counts[i]) * 1000 < all * 999)
        i++;
    uint64_t hot = samples->n ? counts[i] : 0;
    mem_free(counts);
    return hot;
}

/* ---- writing */

struct writer {
    FILE *to;
    const struct source_counts *counts;
    uint32_t version;
    uint64_t hot;      /* becomes 2 */
    uint32_t *indices; /* of names, in the file */
    struct used_names {
        VEC(uint32_t);
    } used; /* names by index, less 1 */
};

static void u32_write(struct writer *writer, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    fwrite(bytes, 1, sizeof bytes, writer->to);
}

static void u64_write(struct writer *writer, uint64_t value)
{
    u32_write(writer, (uint32_t)value);
    u32_write(writer, (uint32_t)(value >> 32));
}

static void text_write(struct writer *writer, const char *text)
{
    uint32_t bytes = (uint32_t)strlen(text) + 1, room = bytes;
    if (writer->version < 2)
        room = (bytes + 3) & ~3u;
    u32_write(writer, writer->version < 2 ? room / 4 : bytes);
    fwrite(text, 1, bytes, writer->to);
    fwrite("\0\0\0", 1, room - bytes, writer->to);
}

/* What ran stays: it is not to be taken for code that never does. */
static uint64_t scaled(const struct writer *writer, uint64_t count)
{
    uint64_t whole = writer->hot > 2 ? (uint64_t)((u128)count * 2 / writer->hot) : count;
    return count && !whole ? 1 : whole;
}

static uint32_t offset_of(struct source_place place)
{
    return place.line << 16 | place.discriminator;
}

static void name_use(struct writer *writer, uint32_t name)
{
    if (writer->indices[name])
        return;
    *vec_push(&writer->used) = name;
    writer->indices[name] = (uint32_t)writer->used.n;
}

/* Index 0 is of no name: a target of that index would be an error. */
static void names_write(struct writer *writer)
{
    const struct source_counts *counts = writer->counts;
    for (size_t i = 0; i < counts->bodies.n; i++)
        name_use(writer, counts->bodies.at[i].name);
    for (size_t i = 0; i < counts->targets.n; i++)
        if (counts->targets.at[i].indirect)
            name_use(writer, counts->targets.at[i].name);
    u32_write(writer, TAG_NAMES);
    u32_write(writer, 0);
    if (writer->version >= 3)
        u32_write(writer, 0); /* files */
    u32_write(writer, (uint32_t)writer->used.n + 1);
    for (size_t i = 0; i <= writer->used.n; i++) {
        text_write(writer, i ? source_name(counts, writer->used.at[i - 1]) : "");
        if (writer->version >= 3)
            u32_write(writer, UINT32_MAX); /* of no file */
    }
}

static void samples_write(struct writer *writer, const struct source_body *body)
{
    const struct source_sample *samples = writer->counts->samples.at + body->first_sample;
    const struct source_target *targets = writer->counts->targets.at + body->first_target;
    uint32_t t = 0;
    for (uint32_t i = 0; i < body->n_samples; i++) {
        uint32_t first = t, indirect = 0;
        for (; t < body->n_targets && source_place_order(targets[t].place, samples[i].place) == 0;
             t++)
            indirect += targets[t].indirect;
        u32_write(writer, offset_of(samples[i].place));
        u32_write(writer, indirect);
        u64_write(writer, scaled(writer, samples[i].count));
        for (; first < t; first++)
            if (targets[first].indirect) {
                u32_write(writer, INDIRECT_CALL);
                u64_write(writer, writer->indices[targets[first].name]);
                u64_write(writer, scaled(writer, targets[first].count));
            }
    }
}

/* As deep as functions were inlined into each other, which is bounded. */
static void body_write(struct writer *writer, const struct source_body *body)
{
    const uint32_t *children = writer->counts->children + body->first_child;
    u32_write(writer, writer->indices[body->name]);
    u32_write(writer, body->n_samples);
    u32_write(writer, body->n_children);
    samples_write(writer, body);
    for (uint32_t i = 0; i < body->n_children; i++) {
        const struct source_body *child = &writer->counts->bodies.at[children[i]];
        u32_write(writer, offset_of(child->site));
        body_write(writer, child);
    }
}

/* For each of a row of shares of the whole, in millionths: how many of the largest counts make it
 * up, and the least of them. */
static void summary_write(struct writer *writer)
{
    static const uint32_t cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000,
                                       600000, 700000, 800000, 900000, 950000, 990000,
                                       999000, 999900, 999990, 999999};
    enum { CUTOFFS = sizeof cutoffs / sizeof *cutoffs };
    const struct source_samples *samples = &writer->counts->samples;
    uint64_t *counts = mem_alloc((samples->n + 1) * sizeof *counts), all = 0, head = 0;
    for (size_t i = 0; i < samples->n; i++)
        all += counts[i] = scaled(writer, samples->at[i].count);
    qsort(counts, samples->n, sizeof *counts, falling_order);
    for (uint32_t i = 0; i < writer->counts->n_outermost; i++) {
        uint64_t one = scaled(writer, writer->counts->bodies.at[writer->counts->outermost[i]].head);
        head = one > head ? one : head;
    }
    u32_write(writer, TAG_SUMMARY);
    u64_write(writer, all);
    u64_write(writer, samples->n ? counts[0] : 0);
    u64_write(writer, head);
    u64_write(writer, samples->n);
    u64_write(writer, writer->counts->n_outermost);
    u64_write(writer, CUTOFFS);
    u128 sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < CUTOFFS; i++) {
        while (n < samples->n && sum * 1000000 < (u128)all * cutoffs[i])
            sum += counts[n++];
        u32_write(writer, cutoffs[i]);
        u64_write(writer, n ? counts[n - 1] : 0);
        u64_write(writer, n);
    }
    mem_free(counts);
}

bool gcc_write(FILE *to, struct export_job *job, struct err *err)
{
    uint32_t gcc = job->options->gcc_version;
    struct source_counts counts;
    if (!source_counts_make(&counts, &job->code, NULL,
                            gcc < 13 ? &line_dialect : &discriminator_dialect, err))
        return false;
    struct writer writer = {.to = to,
                            .counts = &counts,
                            .version = gcc < 12   ? 1
                                       : gcc < 16 ? 2
                                                  : 3,
                            .hot = hot_count(&counts.samples),
                            .indices = mem_alloc((counts.names.texts.n + 1) * sizeof(uint32_t))};
    u32_write(&writer, TAG_MAGIC);
    u32_write(&writer, writer.version);
    u32_write(&writer, 0);
    if (writer.version >= 3)
        summary_write(&writer);
    names_write(&writer);
    u32_write(&writer, TAG_FUNCTIONS);
    u32_write(&writer, 0);
    u32_write(&writer, counts.n_outermost);
    for (uint32_t i = 0; i < counts.n_outermost; i++) {
        const struct source_body *body = &counts.bodies.at[counts.outermost[i]];
        u64_write(&writer, scaled(&writer, body->head));
        if (writer.version >= 3)
            u64_write(&writer, 0); /* when it first ran is not known */
        body_write(&writer, body);
    }
    u32_write(&writer, TAG_MODULES);
    u32_write(&writer, 0);
    u32_write(&writer, 0);
    mem_free(writer.indices);
    vec_release(&writer.used);
    source_counts_release(&counts);
    return true;
}

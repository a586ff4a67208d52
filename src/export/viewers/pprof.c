/* pprof's format: a gzipped message perftools.profiles.Profile,
 * https://github.com/google/pprof/blob/main/proto/profile.proto.
 *
 * A sample is a stack of locations, innermost first; a location is an address of a mapping with its
 * lines, the innermost inlined function first. Addresses are those that the file was linked at. */
#include "base/version.h"
#include "export/job/job.h"
#include "export/viewers/gzip.h"
#include "export/viewers/protobuf.h"

enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING_TABLE,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_COMMENT,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };
enum mapping_field {
    MAPPING_ID = 1,
    MAPPING_MEMORY_START,
    MAPPING_MEMORY_LIMIT,
    MAPPING_FILE_OFFSET,
    MAPPING_FILENAME,
    MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS,
    MAPPING_HAS_FILENAMES,
    MAPPING_HAS_LINE_NUMBERS,
    MAPPING_HAS_INLINE_FRAMES,
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE };
enum function_field {
    FUNCTION_ID = 1,
    FUNCTION_NAME,
    FUNCTION_SYSTEM_NAME,
    FUNCTION_FILENAME,
    FUNCTION_START_LINE,
};

struct pprof {
    struct export_job *job;
    struct strings strings;
    struct bytes out;
    struct bytes message, inner; /* scratch: the message being made, and one inside of it */
    uint32_t *place_of;          /* for each node of the tree */
    const char **name_of;        /* for each root that was met: its thread's */
};

static uint64_t text(struct pprof *pprof, const char *text)
{
    return strings_add(&pprof->strings, text);
}

static void inner_end(struct pprof *pprof, uint32_t field)
{
    protobuf_bytes(&pprof->message, field, &pprof->inner);
    pprof->inner.n = 0;
}

static void message_end(struct pprof *pprof, uint32_t field)
{
    protobuf_bytes(&pprof->out, field, &pprof->message);
    pprof->message.n = 0;
}

/* ---- what is measured */

static void put_value_type(struct pprof *pprof, uint32_t field)
{
    const struct tree *tree = &pprof->job->tree;
    bool time = tree->unit == UNIT_NANOSECONDS;
    protobuf_number(&pprof->message, VALUE_TYPE_TYPE,
                    text(pprof, time ? "cpu" : tree_unit_name(tree)));
    protobuf_number(&pprof->message, VALUE_TYPE_UNIT, text(pprof, time ? "nanoseconds" : "count"));
    message_end(pprof, field);
}

static void put_head(struct pprof *pprof)
{
    const struct profile *profile = pprof->job->profile;
    put_value_type(pprof, PROFILE_SAMPLE_TYPE);
    protobuf_number(&pprof->out, PROFILE_TIME_NANOS, profile->start_unix_ns);
    if (profile->mode == PROFILE_PLAIN && profile->totals.interrupts) {
        put_value_type(pprof, PROFILE_PERIOD_TYPE);
        protobuf_number(&pprof->out, PROFILE_PERIOD,
                        pprof->job->tree.total / profile->totals.interrupts);
    }
    const char *const comments[] = {"gait " GAIT_VERSION, profile_mode_name(profile->mode),
                                    profile->command ? profile->command : ""};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        protobuf_packed(&pprof->inner, text(pprof, comments[i]));
    protobuf_bytes(&pprof->out, PROFILE_COMMENT, &pprof->inner);
    pprof->inner.n = 0;
}

/* ---- samples */

/* Whether anything was seen at a node or below it. */
static bool *nodes_needed(const struct tree *tree)
{
    bool *needed = mem_alloc(tree->n + 1);
    for (size_t i = tree->n; i--;) {
        needed[i] |= tree->at[i].weight != 0;
        if (needed[i] && tree->at[i].parent != TREE_NONE)
            needed[tree->at[i].parent] = true;
    }
    return needed;
}

static void find_places(struct pprof *pprof)
{
    const struct tree *tree = &pprof->job->tree;
    bool *needed = nodes_needed(tree);
    for (size_t i = 0; i < tree->n; i++)
        if (needed[i] && tree->at[i].parent != TREE_NONE)
            pprof->place_of[i] =
                named_places_find(&pprof->job->places, tree->at[i].module, tree->at[i].address);
    mem_free(needed);
}

static void put_label(struct pprof *pprof, const char *key, const char *value, uint64_t number)
{
    protobuf_number(&pprof->inner, LABEL_KEY, text(pprof, key));
    protobuf_number(&pprof->inner, LABEL_STR, text(pprof, value));
    protobuf_number(&pprof->inner, LABEL_NUM, number);
    inner_end(pprof, SAMPLE_LABEL);
}

/* A thread's name is looked for once. */
static void put_thread(struct pprof *pprof, uint32_t root)
{
    struct export_job *job = pprof->job;
    uint64_t thread = job->tree.at[root].address;
    if (!thread)
        return;
    if (!pprof->name_of[root])
        pprof->name_of[root] = tree_thread_name(&job->tree, thread, &job->places.strings.arena);
    put_label(pprof, "thread", pprof->name_of[root], 0);
    put_label(pprof, "pid", NULL, thread >> 32);
    put_label(pprof, "tid", NULL, (uint32_t)thread);
}

static void put_sample(struct pprof *pprof, uint32_t node)
{
    const struct tree *tree = &pprof->job->tree;
    uint64_t weight = tree->at[node].weight;
    for (; tree->at[node].parent != TREE_NONE; node = tree->at[node].parent)
        protobuf_packed(&pprof->inner, pprof->place_of[node] + (uint64_t)1);
    inner_end(pprof, SAMPLE_LOCATION_ID);
    protobuf_packed(&pprof->inner, weight);
    inner_end(pprof, SAMPLE_VALUE);
    put_thread(pprof, node);
    message_end(pprof, PROFILE_SAMPLE);
}

/* ---- places */

static void put_extent(struct pprof *pprof, const struct image *image)
{
    uint64_t start = UINT64_MAX, limit = 0, offset = 0;
    for (size_t i = 0; i < image->segments.n; i++) {
        const struct segment *segment = &image->segments.at[i];
        if (!segment->executable)
            continue;
        if (segment->start.v < start)
            start = segment->start.v, offset = segment->offset.v;
        if (segment->start.v + segment->memory_bytes > limit)
            limit = segment->start.v + segment->memory_bytes;
    }
    if (start >= limit)
        return;
    protobuf_number(&pprof->message, MAPPING_MEMORY_START, start);
    protobuf_number(&pprof->message, MAPPING_MEMORY_LIMIT, limit);
    protobuf_number(&pprof->message, MAPPING_FILE_OFFSET, offset);
}

static void put_mapping(struct pprof *pprof, uint32_t number)
{
    const struct module *module = &pprof->job->profile->modules.at[number];
    uint32_t in_scene = scene_module(pprof->job->scene, 0, number);
    const struct binary *binary = pprof->job->scene->modules.at[in_scene].binary;
    char build_id[2 * sizeof module->build_id + 1] = "";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
    protobuf_number(&pprof->message, MAPPING_ID, number + (uint64_t)1);
    if (binary)
        put_extent(pprof, &binary->image);
    protobuf_number(&pprof->message, MAPPING_FILENAME, text(pprof, module->path));
    protobuf_number(&pprof->message, MAPPING_BUILD_ID, text(pprof, build_id));
    /* Nobody need look them up again. */
    protobuf_number(&pprof->message, MAPPING_HAS_FUNCTIONS, 1);
    protobuf_number(&pprof->message, MAPPING_HAS_FILENAMES, 1);
    protobuf_number(&pprof->message, MAPPING_HAS_LINE_NUMBERS, 1);
    protobuf_number(&pprof->message, MAPPING_HAS_INLINE_FRAMES, 1);
    message_end(pprof, PROFILE_MAPPING);
}

/* Readers take the first mapping for the program: the one that the command names, else the one that
 * weighs most. */
static uint32_t mapping_first(const struct pprof *pprof)
{
    const struct export_job *job = pprof->job;
    uint32_t n = (uint32_t)job->profile->modules.n, first = 0;
    uint64_t *weights = mem_alloc((n + 1) * sizeof *weights);
    for (size_t i = 0; i < job->tree.n; i++)
        if (job->tree.at[i].module < n)
            weights[job->tree.at[i].module] += job->tree.at[i].weight;
    for (uint32_t i = 0; i < n; i++)
        if (job->profile->modules.at[i].path[0] != '[' &&
            (job->profile->modules.at[first].path[0] == '[' || weights[i] > weights[first]))
            first = i;
    for (uint32_t i = n; i--;)
        if (scene_is_program(job->scene, scene_module(job->scene, 0, i)))
            first = i;
    mem_free(weights);
    return first;
}

static void put_mappings(struct pprof *pprof)
{
    uint32_t n = (uint32_t)pprof->job->profile->modules.n, first = mapping_first(pprof);
    if (first < n)
        put_mapping(pprof, first);
    for (uint32_t i = 0; i < n; i++)
        if (i != first)
            put_mapping(pprof, i);
}

static void put_location(struct pprof *pprof, uint32_t number)
{
    const struct named_places *places = &pprof->job->places;
    const uint64_t *key = map_key(&places->keys, number); /* module, address */
    struct named_place place = places->at[number];
    protobuf_number(&pprof->message, LOCATION_ID, number + (uint64_t)1);
    protobuf_number(&pprof->message, LOCATION_MAPPING_ID, key[0] + 1);
    protobuf_number(&pprof->message, LOCATION_ADDRESS, key[1]);
    for (uint32_t i = 0; i < place.n_frames; i++) {
        const struct place_frame *frame = &places->frames.at[place.first_frame + i];
        protobuf_number(&pprof->inner, LINE_FUNCTION_ID, frame->function + (uint64_t)1);
        protobuf_number(&pprof->inner, LINE_LINE, frame->line);
        inner_end(pprof, LOCATION_LINE);
    }
    message_end(pprof, PROFILE_LOCATION);
}

static void put_function(struct pprof *pprof, uint32_t number)
{
    const struct place_function *function = &pprof->job->places.functions.at[number];
    protobuf_number(&pprof->message, FUNCTION_ID, number + (uint64_t)1);
    protobuf_number(&pprof->message, FUNCTION_NAME, text(pprof, function->name));
    protobuf_number(&pprof->message, FUNCTION_SYSTEM_NAME, text(pprof, function->linkage));
    protobuf_number(&pprof->message, FUNCTION_FILENAME, text(pprof, function->file));
    protobuf_number(&pprof->message, FUNCTION_START_LINE, function->line);
    message_end(pprof, PROFILE_FUNCTION);
}

/* ---- all */

bool pprof_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct pprof pprof = {.job = job};
    strings_init(&pprof.strings);
    pprof.place_of = mem_alloc((job->tree.n + 1) * sizeof *pprof.place_of);
    pprof.name_of = mem_alloc((job->tree.n + 1) * sizeof *pprof.name_of);
    find_places(&pprof);
    put_head(&pprof);
    for (uint32_t i = 0; i < job->tree.n; i++)
        if (job->tree.at[i].weight)
            put_sample(&pprof, i);
    put_mappings(&pprof);
    for (uint32_t i = 0; i < job->places.n; i++)
        put_location(&pprof, i);
    for (uint32_t i = 0; i < job->places.functions.n; i++)
        put_function(&pprof, i);
    for (size_t i = 0; i < pprof.strings.n; i++)
        protobuf_text(&pprof.out, PROFILE_STRING_TABLE, pprof.strings.at[i]);
    gzip_write(to, &pprof.out);
    mem_free(pprof.place_of);
    mem_free(pprof.name_of);
    vec_release(&pprof.out);
    vec_release(&pprof.message);
    vec_release(&pprof.inner);
    strings_release(&pprof.strings);
    return true;
}

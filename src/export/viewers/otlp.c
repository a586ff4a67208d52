/* Profiles of OpenTelemetry: one message ProfilesData of the protocol's signal "profiles"
 * (v1development), https://github.com/open-telemetry/opentelemetry-proto. It has the fields of
 * ExportProfilesServiceRequest, which collectors take.
 *
 * Everything that is said more than once stands in tables of a dictionary, whose first entries are
 * empty: an index of 0 means nothing. A stack is a list of locations, innermost first. */
#include "base/utf8.h"
#include "base/version.h"
#include "export/job/job.h"
#include "export/viewers/protobuf.h"
#include "profile/times.h"

enum data_field { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum dictionary_field {
    TABLE_MAPPING = 1,
    TABLE_LOCATION,
    TABLE_FUNCTION,
    TABLE_LINK,
    TABLE_STRING,
    TABLE_ATTRIBUTE,
    TABLE_STACK,
};
enum resource_profiles_field { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES };
enum resource_field { RESOURCE_ATTRIBUTES = 1 };
enum scope_profiles_field { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum scope_field { SCOPE_NAME = 1, SCOPE_VERSION };
enum key_value_field { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum any_field { ANY_STRING = 1, ANY_INT = 3 };
enum otlp_profile_field {
    OTLP_SAMPLE_TYPE = 1,
    OTLP_SAMPLES,
    OTLP_TIME,
    OTLP_DURATION,
    OTLP_PERIOD_TYPE,
    OTLP_PERIOD,
};
enum otlp_value_type_field { OTLP_TYPE = 1, OTLP_UNIT };
enum otlp_sample_field { OTLP_SAMPLE_STACK = 1, OTLP_SAMPLE_ATTRIBUTES, OTLP_SAMPLE_VALUES = 4 };
enum otlp_mapping_field {
    OTLP_MAPPING_START = 1,
    OTLP_MAPPING_LIMIT,
    OTLP_MAPPING_OFFSET,
    OTLP_MAPPING_FILE,
    OTLP_MAPPING_ATTRIBUTES
};
enum otlp_stack_field { OTLP_STACK_LOCATIONS = 1 };
enum otlp_location_field { OTLP_LOCATION_MAPPING = 1, OTLP_LOCATION_ADDRESS, OTLP_LOCATION_LINES };
enum otlp_line_field { OTLP_LINE_FUNCTION = 1, OTLP_LINE_LINE };
enum otlp_function_field { OTLP_NAME = 1, OTLP_SYSTEM_NAME, OTLP_FILE, OTLP_START_LINE };
enum otlp_attribute_field { OTLP_KEY = 1, OTLP_VALUE };

/* A stack is a place and the stack of its callers. */
struct stack_link {
    uint32_t below, place;
};

/* What is said of a function: two of the same are one. */
struct function_key {
    uint32_t name, linkage, file, line;
};

enum { THREAD_ATTRIBUTES = 3 };
struct thread_known {
    uint32_t attributes[THREAD_ATTRIBUTES]; /* name, process, thread; 0: not there yet */
};

struct otlp {
    struct export_job *job;
    struct strings strings;
    struct bytes attributes; /* messages of the table, one after the other, with their tags */
    struct strings attribute_keys;
    struct map links; /* struct stack_link: all stacks, and parts of them */
    struct {
        VEC(uint32_t);
    } link_of; /* for each node of the tree: its link plus 1; 0: of a root */
    struct {
        VEC(uint32_t);
    } stack_of; /* for each link: its number in the table; 0: not there */
    struct {
        VEC(uint32_t);
    } stacks;                                    /* links of the table's stacks */
    struct bytes samples, message, inner, value; /* scratch, but for the samples */
    struct {
        VEC(struct thread_known);
    } threads;            /* for each root */
    struct map functions; /* struct function_key: the table's, but for the empty one */
    struct {
        VEC(uint32_t);
    } function_of; /* for each of places.functions its index in the table */
};

/* The format takes no text that is not UTF-8, and names may hold anything. */
static const char *valid(struct otlp *otlp, const char *text)
{
    bool whole = true;
    for (const char *at = text ? text : ""; *at && whole;) {
        size_t n = utf8_bytes((const unsigned char *)at);
        whole = n > 0;
        at += n;
    }
    if (whole)
        return text;
    char *copy = arena_string(&otlp->strings.arena, text);
    for (char *at = copy; *at;) {
        size_t n = utf8_bytes((const unsigned char *)at);
        if (!n)
            *at = '?';
        at += n ? n : 1;
    }
    return copy;
}

static uint64_t text(struct otlp *otlp, const char *text)
{
    return strings_add(&otlp->strings, valid(otlp, text));
}

static void take(struct bytes *to, uint32_t field, struct bytes *message)
{
    protobuf_bytes(to, field, message);
    message->n = 0;
}

/* ---- attributes */

/* An entry of the table, each once; words NULL: a number. Its index. */
static uint32_t attribute(struct otlp *otlp, const char *key, const char *words, uint64_t number)
{
    size_t before = otlp->attribute_keys.n;
    uint32_t index = strings_add(&otlp->attribute_keys,
                                 arena_format(&otlp->strings.arena, "%s %llu %s", key,
                                              (unsigned long long)number, words ? words : ""));
    if (otlp->attribute_keys.n == before)
        return index;
    protobuf_number(&otlp->message, OTLP_KEY, text(otlp, key));
    if (words)
        protobuf_text(&otlp->value, ANY_STRING, valid(otlp, words));
    else
        protobuf_number_always(&otlp->value, ANY_INT, number);
    take(&otlp->message, OTLP_VALUE, &otlp->value);
    take(&otlp->attributes, TABLE_ATTRIBUTE, &otlp->message);
    return index;
}

static const uint32_t *thread_attributes(struct otlp *otlp, uint32_t root)
{
    struct export_job *job = otlp->job;
    uint64_t thread = job->tree.at[root].address;
    uint32_t *at = otlp->threads.at[root].attributes;
    if (thread && !*at) {
        const char *name = tree_thread_name(&job->tree, thread, &job->places.strings.arena);
        at[0] = attribute(otlp, "thread.name", name ? name : "", 0);
        at[1] = attribute(otlp, "process.pid", NULL, thread >> 32);
        at[2] = attribute(otlp, "thread.id", NULL, (uint32_t)thread);
    }
    return at;
}

static void put_key_value(struct bytes *to, uint32_t field, const char *key, const char *words)
{
    struct bytes pair = {0}, value = {0};
    protobuf_text(&pair, KEY_VALUE_KEY, key);
    protobuf_text(&value, ANY_STRING, words);
    take(&pair, KEY_VALUE_VALUE, &value);
    take(to, field, &pair);
    vec_release(&pair);
    vec_release(&value);
}

/* ---- stacks and samples */

static void find_stacks(struct otlp *otlp)
{
    const struct tree *tree = &otlp->job->tree;
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct tree_node *node = &tree->at[i];
        uint32_t *link = vec_push(&otlp->link_of);
        *vec_push(&otlp->threads) = (struct thread_known){0};
        if (node->parent == TREE_NONE)
            continue;
        struct stack_link key = {
            .below = otlp->link_of.at[node->parent],
            .place = named_places_find(&otlp->job->places, node->module, node->address)};
        *link = map_add(&otlp->links, &key) + 1;
    }
    vec_reserve(&otlp->stack_of, otlp->links.n + 1);
}

static uint32_t stack_number(struct otlp *otlp, uint32_t node)
{
    uint32_t link = otlp->link_of.at[node];
    if (link && !otlp->stack_of.at[link]) {
        *vec_push(&otlp->stacks) = link;
        otlp->stack_of.at[link] = (uint32_t)otlp->stacks.n;
    }
    return link ? otlp->stack_of.at[link] : 0;
}

static void put_sample(struct otlp *otlp, uint32_t node)
{
    const struct tree *tree = &otlp->job->tree;
    uint64_t weight = tree->at[node].weight;
    protobuf_number(&otlp->value, OTLP_SAMPLE_STACK, stack_number(otlp, node));
    struct bytes sample = otlp->value;
    otlp->value = (struct bytes){0};
    while (tree->at[node].parent != TREE_NONE)
        node = tree->at[node].parent;
    const uint32_t *attributes = thread_attributes(otlp, node);
    for (uint32_t i = 0; *attributes && i < THREAD_ATTRIBUTES; i++)
        protobuf_packed(&otlp->inner, attributes[i]);
    if (*attributes)
        protobuf_bytes(&sample, OTLP_SAMPLE_ATTRIBUTES, &otlp->inner);
    otlp->inner.n = 0;
    protobuf_packed(&otlp->inner, weight);
    protobuf_bytes(&sample, OTLP_SAMPLE_VALUES, &otlp->inner);
    otlp->inner.n = 0;
    protobuf_bytes(&otlp->samples, OTLP_SAMPLES, &sample);
    vec_release(&sample);
}

/* ---- the profile */

static void put_value_type(struct otlp *otlp, struct bytes *to, uint32_t field)
{
    const struct tree *tree = &otlp->job->tree;
    bool time = tree->unit == UNIT_NANOSECONDS;
    protobuf_number(&otlp->value, OTLP_TYPE, text(otlp, time ? "cpu" : tree_unit_name(tree)));
    protobuf_number(&otlp->value, OTLP_UNIT, text(otlp, time ? "nanoseconds" : "count"));
    take(to, field, &otlp->value);
}

static void put_profile(struct otlp *otlp, struct bytes *to)
{
    const struct profile *profile = otlp->job->profile;
    uint64_t start = profile->start_unix_ns, end = times_span(&profile->times).end_ns;
    struct bytes message = {0};
    put_value_type(otlp, &message, OTLP_SAMPLE_TYPE);
    bytes_add(&message, otlp->samples.at, otlp->samples.n);
    protobuf_fixed(&message, OTLP_TIME, start);
    protobuf_number(&message, OTLP_DURATION, end > start ? end - start : 0);
    if (profile->mode == PROFILE_PLAIN && profile->totals.interrupts) {
        put_value_type(otlp, &message, OTLP_PERIOD_TYPE);
        protobuf_number(&message, OTLP_PERIOD, otlp->job->tree.total / profile->totals.interrupts);
    }
    take(to, SCOPE_PROFILES_PROFILES, &message);
    vec_release(&message);
}

static void put_resource(struct otlp *otlp, struct bytes *to)
{
    const struct profile *profile = otlp->job->profile;
    const char *host = profile_fact_find(profile, "host");
    struct bytes resource = {0};
    if (host && profile->totals.recordings <= 1)
        put_key_value(&resource, RESOURCE_ATTRIBUTES, "host.name", valid(otlp, host));
    if (profile->command)
        put_key_value(&resource, RESOURCE_ATTRIBUTES, "process.command_line",
                      valid(otlp, profile->command));
    take(to, RESOURCE_PROFILES_RESOURCE, &resource);
    vec_release(&resource);
}

static void put_resource_profiles(struct otlp *otlp, struct bytes *out)
{
    struct bytes all = {0}, scopes = {0}, scope = {0};
    put_resource(otlp, &all);
    protobuf_text(&scope, SCOPE_NAME, "gait");
    protobuf_text(&scope, SCOPE_VERSION, GAIT_VERSION);
    take(&scopes, SCOPE_PROFILES_SCOPE, &scope);
    put_profile(otlp, &scopes);
    take(&all, RESOURCE_PROFILES_SCOPES, &scopes);
    take(out, DATA_RESOURCE_PROFILES, &all);
    vec_release(&scope);
    vec_release(&scopes);
    vec_release(&all);
}

/* ---- the dictionary */

static void put_mapping(struct otlp *otlp, struct bytes *to, uint32_t number)
{
    const struct module *module = &otlp->job->profile->modules.at[number];
    char build_id[2 * sizeof module->build_id + 1] = "";
    struct bytes mapping = {0};
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
    protobuf_number(&mapping, OTLP_MAPPING_FILE, text(otlp, module->path));
    if (*build_id) {
        protobuf_packed(&otlp->inner,
                        attribute(otlp, "process.executable.build_id.gnu", build_id, 0));
        protobuf_bytes(&mapping, OTLP_MAPPING_ATTRIBUTES, &otlp->inner);
        otlp->inner.n = 0;
    }
    protobuf_bytes(to, TABLE_MAPPING, &mapping);
    vec_release(&mapping);
}

static void put_location(struct otlp *otlp, struct bytes *to, uint32_t number)
{
    const struct named_places *places = &otlp->job->places;
    const uint64_t *key = map_key(&places->keys, number); /* module, address */
    struct named_place place = places->at[number];
    protobuf_number(&otlp->message, OTLP_LOCATION_MAPPING, key[0] + 1);
    protobuf_number(&otlp->message, OTLP_LOCATION_ADDRESS, key[1]);
    for (uint32_t i = 0; i < place.n_frames; i++) {
        const struct place_frame *frame = &places->frames.at[place.first_frame + i];
        protobuf_number(&otlp->inner, OTLP_LINE_FUNCTION, otlp->function_of.at[frame->function]);
        protobuf_number(&otlp->inner, OTLP_LINE_LINE, frame->line);
        take(&otlp->message, OTLP_LOCATION_LINES, &otlp->inner);
    }
    take(to, TABLE_LOCATION, &otlp->message);
}

static void find_functions(struct otlp *otlp)
{
    const struct place_functions *functions = &otlp->job->places.functions;
    for (uint32_t i = 0; i < functions->n; i++) {
        const struct place_function *function = &functions->at[i];
        struct function_key key = {(uint32_t)text(otlp, function->name),
                                   (uint32_t)text(otlp, function->linkage),
                                   (uint32_t)text(otlp, function->file), function->line};
        *vec_push(&otlp->function_of) = map_add(&otlp->functions, &key) + 1;
    }
}

static void put_function(struct otlp *otlp, struct bytes *to, uint32_t number)
{
    struct function_key key;
    memcpy(&key, map_key(&otlp->functions, number), sizeof key);
    protobuf_number(&otlp->message, OTLP_NAME, key.name);
    protobuf_number(&otlp->message, OTLP_SYSTEM_NAME, key.linkage);
    protobuf_number(&otlp->message, OTLP_FILE, key.file);
    protobuf_number(&otlp->message, OTLP_START_LINE, key.line);
    take(to, TABLE_FUNCTION, &otlp->message);
}

static void put_stack(struct otlp *otlp, struct bytes *to, uint32_t link)
{
    while (link) {
        struct stack_link key;
        memcpy(&key, map_key(&otlp->links, link - 1), sizeof key);
        protobuf_packed(&otlp->inner, key.place + (uint64_t)1);
        link = key.below;
    }
    protobuf_bytes(&otlp->message, OTLP_STACK_LOCATIONS, &otlp->inner);
    otlp->inner.n = 0;
    take(to, TABLE_STACK, &otlp->message);
}

static void put_dictionary(struct otlp *otlp, struct bytes *out)
{
    struct bytes all = {0}, none = {0};
    const struct named_places *places = &otlp->job->places;
    for (uint32_t table = TABLE_MAPPING; table <= TABLE_STACK; table++)
        if (table != TABLE_STRING) /* its first text is empty anyway */
            protobuf_bytes(&all, table, &none);
    for (uint32_t i = 0; i < otlp->job->profile->modules.n; i++)
        put_mapping(otlp, &all, i);
    find_functions(otlp);
    for (uint32_t i = 0; i < places->n; i++)
        put_location(otlp, &all, i);
    for (uint32_t i = 0; i < otlp->functions.n; i++)
        put_function(otlp, &all, i);
    for (size_t i = 0; i < otlp->stacks.n; i++)
        put_stack(otlp, &all, otlp->stacks.at[i]);
    bytes_add(&all, otlp->attributes.at, otlp->attributes.n);
    for (size_t i = 0; i < otlp->strings.n; i++)
        protobuf_text(&all, TABLE_STRING, otlp->strings.at[i]);
    take(out, DATA_DICTIONARY, &all);
    vec_release(&all);
}

static void otlp_release(struct otlp *otlp)
{
    strings_release(&otlp->strings);
    strings_release(&otlp->attribute_keys);
    map_release(&otlp->functions);
    vec_release(&otlp->function_of);
    map_release(&otlp->links);
    vec_release(&otlp->attributes);
    vec_release(&otlp->link_of);
    vec_release(&otlp->stack_of);
    vec_release(&otlp->stacks);
    vec_release(&otlp->samples);
    vec_release(&otlp->message);
    vec_release(&otlp->inner);
    vec_release(&otlp->value);
    vec_release(&otlp->threads);
}

bool otlp_write(FILE *to, struct export_job *job, struct err *err)
{
    (void)err;
    struct otlp otlp = {.job = job};
    struct bytes out = {0};
    strings_init(&otlp.strings);
    strings_init(&otlp.attribute_keys);
    map_init(&otlp.functions, sizeof(struct function_key));
    map_init(&otlp.links, sizeof(struct stack_link));
    find_stacks(&otlp);
    for (uint32_t i = 0; i < job->tree.n; i++)
        if (job->tree.at[i].weight)
            put_sample(&otlp, i);
    put_resource_profiles(&otlp, &out);
    put_dictionary(&otlp, &out);
    fwrite(out.at, 1, out.n, to); /* whoever closes it looks for failures */
    vec_release(&out);
    otlp_release(&otlp);
    return true;
}

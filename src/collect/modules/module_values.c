#include "collect/modules/module_values.h"

#include "program/insn/decoded.h"
#include "program/elf/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- places */

/* Code that has no file is wanted by nobody: what it is cannot be told. */
static uint32_t wanted(struct module_values *values, struct place at)
{
    struct decoded decoded;
    size_t room = 0;
    const struct image *image = images_find(&values->images, values->units->mappings, at.module);
    if (!image || !decoded_read(image, at.address, &decoded))
        return 0;
    const char *path = values->units->mappings->profile->modules.at[at.module].path;
    const char *slash = strrchr(path, '/');
    char mnemonic[32];
    snprintf(mnemonic, sizeof mnemonic, "%s", ZydisMnemonicGetString(decoded.instruction.mnemonic));
    struct gait_instruction instruction = {
        .address = at.address.v,
        .file = slash ? slash + 1 : path,
        .mnemonic = mnemonic,
        .bytes = image_bytes(image, at.address, &room),
        .n_bytes = decoded.instruction.length,
        .locked = (decoded.instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0};
    for (int i = 0; i < decoded.instruction.operand_count; i++)
        if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            instruction.loads |=
                (decoded.operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            instruction.stores |=
                (decoded.operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        }
    return module_host_wants(values->host, &instruction);
}

static uint32_t place_of(struct module_values *values, struct place at)
{
    uint64_t key[] = {at.module, at.address.v};
    uint32_t index = map_add(&values->keys, key);
    if (index == values->places.n)
        *vec_push(&values->places) = (struct module_place){.at = at, .kinds = wanted(values, at)};
    return index;
}

/* ---- windows */

static void pair_take(struct module_values *values, const struct module_pair *pair)
{
    if (pair->place >= values->places.n)
        return;
    struct module_place *place = &values->places.at[pair->place];
    if (!place->touched) {
        place->touched = true;
        hotlist_init(&place->hot, HOTLIST_DEFAULT);
        *vec_push(&values->touched) = pair->place;
    }
    place->windows += place->window != values->window;
    place->window = values->window;
    hotlist_insert(&place->hot, pair->value, &values->random);
}

static void window_give(struct module_values *values)
{
    const struct module_pair *pairs;
    uint32_t n_pairs;
    if (!values->n_tuples)
        return;
    values->window++;
    if (module_host_take(values->host, values->tuples, values->n_tuples, &pairs, &n_pairs))
        for (uint32_t i = 0; i < n_pairs; i++)
            pair_take(values, &pairs[i]);
    else
        values->lost++;
    values->n_tuples = 0;
}

static uint32_t kind_of(enum payload_kind kind)
{
    switch (kind) {
    case PAYLOAD_ADDRESS: return GAIT_ADDRESS;
    case PAYLOAD_OPERAND: return GAIT_OPERAND;
    case PAYLOAD_RESULT: return GAIT_RESULT;
    case PAYLOAD_VECTOR: return GAIT_VECTOR;
    case PAYLOAD_LATENCY: return GAIT_LATENCY;
    case PAYLOAD_ARGUMENT: return GAIT_ARGUMENT;
    case PAYLOAD_RETURNED: return GAIT_RETURNED;
    default: return 0;
    }
}

static void take(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct module_values *values = (struct module_values *)consumer;
    uint32_t kind = kind_of((enum payload_kind)event->item->kind);
    bool untimed = kind == GAIT_LATENCY && !event->words[0];
    if (event->first)
        window_give(values);
    if (values->host->fd < 0) {
        values->lost += event->first;
        return;
    }
    if (!(kind & values->host->kinds) || untimed || event->at.module == MODULE_NONE ||
        event->item->words > 4)
        return;
    uint32_t place = place_of(values, event->at);
    if (!(values->places.at[place].kinds & kind))
        return;
    if (values->n_tuples == MODULE_TUPLES) {
        values->untold++;
        return;
    }
    struct gait_tuple *tuple = &values->tuples[values->n_tuples++];
    *tuple = (struct gait_tuple){.address = event->at.address.v,
                                 .place = place,
                                 .kind = kind,
                                 .n_words = event->item->words,
                                 .reg = event->item->detail};
    memcpy(tuple->words, event->words, event->item->words * sizeof *event->words);
}

void module_values_init(struct module_values *values, const struct units *units)
{
    *values = (struct module_values){.consumer = {take}, .units = units};
    map_init(&values->keys, 2 * sizeof(uint64_t));
    map_init(&values->texts, sizeof(uint64_t));
    values->tuples = mem_alloc(MODULE_TUPLES * sizeof *values->tuples);
}

void module_values_release(struct module_values *values)
{
    images_release(&values->images);
    vec_release(&values->places);
    vec_release(&values->touched);
    map_release(&values->keys);
    map_release(&values->texts);
    mem_free(values->tuples);
}

/* ---- into a batch */

static void text_tell(struct module_values *values, uint64_t value, struct profile *profile)
{
    char text[MODULE_TEXT], fact[MODULE_TEXT + 24];
    if (map_find(&values->texts, &value) != MAP_NONE || values->texts.n >= MODULE_TEXTS)
        return;
    map_add(&values->texts, &value);
    if (!module_host_format(values->host, value, text))
        return;
    snprintf(fact, sizeof fact, "0x%" PRIx64 " %s", value, text);
    profile_fact(profile, "module_text", fact);
}

static void row_add(struct batch *batch, const struct value_key *key, double time, uint64_t count)
{
    batch_table_add(&batch->values, batch_value_index(batch, key),
                    (uint64_t)(time * (1 << VALUE_BITS) + 0.5), count << VALUE_BITS);
}

static void place_flush(struct module_values *values, struct module_place *place,
                        struct batch *batch, struct profile *profile)
{
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    size_t n = hotlist_estimates(&place->hot, estimates);
    struct value_key key = {.module = place->at.module,
                            .kind = VALUE_OF_MODULE,
                            .address = place->at.address.v,
                            .to = MODULE_NONE,
                            .caller_module = MODULE_NONE};
    for (size_t i = 0; i < n; i++) {
        if (!estimates[i].lo)
            continue;
        key.value = estimates[i].value;
        row_add(batch, &key, sqrt((double)estimates[i].lo * (double)place->hot.total),
                estimates[i].lo);
        text_tell(values, key.value, profile);
    }
    key.value = 0;
    key.kind |= VALUE_ALL;
    row_add(batch, &key, (double)place->windows, place->hot.total);
    place->touched = false;
    place->windows = 0;
}

void module_values_flush(struct module_values *values, struct batch *batch, struct profile *profile)
{
    if (!values->host)
        return;
    window_give(values);
    for (size_t i = 0; i < values->touched.n; i++)
        place_flush(values, &values->places.at[values->touched.at[i]], batch, profile);
    values->touched.n = 0;
}

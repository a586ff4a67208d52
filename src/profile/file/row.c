#include "profile/file/row.h"

#include "base/err.h"

#include <string.h>

static const enum chunk_type chunks[TABLES] = {
    [TABLE_EDGES] = CHUNK_EDGES,       [TABLE_RANGES] = CHUNK_RANGES,
    [TABLE_TRIPS] = CHUNK_TRIPS,       [TABLE_PATHS] = CHUNK_PATHS,
    [TABLE_VALUES] = CHUNK_VALUES,     [TABLE_LATENCIES] = CHUNK_LATENCIES,
    [TABLE_MODELLED] = CHUNK_MODELLED, [TABLE_CONFLICTS] = CHUNK_CONFLICTS,
    [TABLE_RUNS] = CHUNK_RUNS,         [TABLE_WASTE] = CHUNK_WASTE,
    [TABLE_TURNS] = CHUNK_TURNS,       [TABLE_CALLED] = CHUNK_CALLED,
    [TABLE_FIRSTS] = CHUNK_FIRSTS};

enum chunk_type row_chunk(enum profile_table table)
{
    return chunks[table];
}

enum profile_table row_table(uint32_t type)
{
    int table = 0;
    while (table < TABLES && chunks[table] != type)
        table++;
    return (enum profile_table)table;
}

size_t row_fields(enum chunk_type type)
{
    return type == CHUNK_EDGES || type == CHUNK_CONFLICTS ? 5
           : type == CHUNK_VALUES                         ? 7
           : type == CHUNK_WASTE || type == CHUNK_CALLED  ? 9
           : type == CHUNK_FIRSTS                         ? 2
                                                          : 4; /* of all others */
}

static uint64_t module_number(uint32_t module, const struct numbering *in_file)
{
    ASSERT(module < in_file->n);
    return in_file->at[module] + (uint64_t)1;
}

/* Of none, too. */
static uint64_t any_number(uint32_t module, const struct numbering *in_file)
{
    return module == MODULE_NONE ? 0 : module_number(module, in_file);
}

struct row row_of_key(enum chunk_type type, const void *key, const struct numbering *in_file)
{
    union any_key k;
    if (type == CHUNK_EDGES) {
        memcpy(&k.edge, key, sizeof k.edge);
        return (struct row){{any_number(k.edge.from_module, in_file), k.edge.from.v,
                             module_number(k.edge.to_module, in_file), k.edge.to.v, k.edge.kind}};
    }
    if (type == CHUNK_TRIPS) {
        memcpy(&k.trip, key, sizeof k.trip);
        return (struct row){
            {module_number(k.trip.module, in_file), k.trip.head.v, k.trip.n, k.trip.how}};
    }
    if (type == CHUNK_PATHS) {
        memcpy(&k.path, key, sizeof k.path);
        return (struct row){
            {module_number(k.path.module, in_file), k.path.function.v, k.path.path, k.path.kind}};
    }
    if (type == CHUNK_VALUES) {
        memcpy(&k.value, key, sizeof k.value);
        return (struct row){{module_number(k.value.module, in_file), k.value.address, k.value.kind,
                             k.value.value, any_number(k.value.to, in_file),
                             any_number(k.value.caller_module, in_file), k.value.caller}};
    }
    if (type == CHUNK_LATENCIES) {
        memcpy(&k.latency, key, sizeof k.latency);
        return (struct row){{module_number(k.latency.module, in_file), k.latency.address.v,
                             k.latency.bin, k.latency.data}};
    }
    if (type == CHUNK_MODELLED) {
        memcpy(&k.modelled, key, sizeof k.modelled);
        return (struct row){{module_number(k.modelled.module, in_file), k.modelled.address.v,
                             k.modelled.kind, k.modelled.detail}};
    }
    if (type == CHUNK_CONFLICTS) {
        memcpy(&k.conflict, key, sizeof k.conflict);
        return (struct row){{module_number(k.conflict.from_module, in_file), k.conflict.from.v,
                             module_number(k.conflict.to_module, in_file), k.conflict.to.v,
                             k.conflict.kind}};
    }
    if (type == CHUNK_WASTE) {
        memcpy(&k.waste, key, sizeof k.waste);
        return (struct row){{module_number(k.waste.first_module, in_file), k.waste.first.v,
                             module_number(k.waste.second_module, in_file), k.waste.second.v,
                             any_number(k.waste.first_caller_module, in_file),
                             k.waste.first_caller.v,
                             any_number(k.waste.second_caller_module, in_file),
                             k.waste.second_caller.v, k.waste.kind}};
    }
    if (type == CHUNK_CALLED) {
        memcpy(&k.called, key, sizeof k.called);
        return (struct row){{module_number(k.called.from_module, in_file), k.called.from.v,
                             module_number(k.called.to_module, in_file), k.called.to.v,
                             any_number(k.called.from_caller_module, in_file),
                             k.called.from_caller.v, any_number(k.called.to_caller_module, in_file),
                             k.called.to_caller.v, k.called.kind}};
    }
    if (type == CHUNK_TURNS) {
        memcpy(&k.turns, key, sizeof k.turns);
        return (struct row){
            {module_number(k.turns.module, in_file), k.turns.at.v, k.turns.directions, k.turns.n}};
    }
    if (type == CHUNK_FIRSTS) {
        memcpy(&k.first, key, sizeof k.first);
        return (struct row){{module_number(k.first.module, in_file), k.first.at.v}};
    }
    memcpy(&k.range, key, sizeof k.range);
    return (struct row){{module_number(k.range.module, in_file), k.range.start.v, k.range.last.v,
                         k.range.instructions}};
}

static bool module_of(uint64_t number, const struct numbering *in_profile, uint32_t *ret_module,
                      struct err *err)
{
    if (number == 0 || number > in_profile->n)
        return err_set(err, ERR_FORMAT, "module %llu of %zu", (unsigned long long)number,
                       in_profile->n);
    *ret_module = in_profile->at[number - 1];
    return true;
}

static bool edge_of(const uint64_t *fields, const struct numbering *in_profile,
                    struct edge_key *ret_edge, struct err *err)
{
    struct edge_key edge = {.from_module = MODULE_NONE, .from = {fields[1]}, .to = {fields[3]}};
    if (fields[0] && !module_of(fields[0], in_profile, &edge.from_module, err))
        return false;
    if (!module_of(fields[2], in_profile, &edge.to_module, err))
        return false;
    if (fields[4] >= EDGE_KINDS)
        return err_set(err, ERR_FORMAT, "edge of kind %llu", (unsigned long long)fields[4]);
    edge.kind = fields[4];
    *ret_edge = edge;
    return true;
}

static bool trip_of(const uint64_t *fields, uint32_t module, struct trip_key *ret_trip,
                    struct err *err)
{
    if (!fields[2] || trip_bin(fields[2]) != fields[2])
        return err_set(err, ERR_FORMAT, "runs of %llu iterations", (unsigned long long)fields[2]);
    if (fields[3] >= TRIP_HOWS)
        return err_set(err, ERR_FORMAT, "runs of kind %llu", (unsigned long long)fields[3]);
    *ret_trip = (struct trip_key){
        .module = module, .how = (uint32_t)fields[3], .head = {fields[1]}, .n = fields[2]};
    return true;
}

static bool path_of(const uint64_t *fields, uint32_t module, struct path_key *ret_path,
                    struct err *err)
{
    if (fields[3] >= PATH_KINDS)
        return err_set(err, ERR_FORMAT, "path of kind %llu", (unsigned long long)fields[3]);
    *ret_path = (struct path_key){
        .module = module, .kind = (uint32_t)fields[3], .function = {fields[1]}, .path = fields[2]};
    return true;
}

static bool value_of(const uint64_t *fields, const struct numbering *in_profile, uint32_t module,
                     struct value_key *ret_value, struct err *err)
{
    uint32_t to = MODULE_NONE, caller = MODULE_NONE;
    if ((fields[4] && !module_of(fields[4], in_profile, &to, err)) ||
        (fields[5] && !module_of(fields[5], in_profile, &caller, err)))
        return false;
    if (fields[2] >= VALUE_KINDS)
        return err_set(err, ERR_FORMAT, "value of kind %llu", (unsigned long long)fields[2]);
    *ret_value = (struct value_key){.module = module,
                                    .kind = (uint32_t)fields[2],
                                    .address = fields[1],
                                    .value = fields[3],
                                    .to = to,
                                    .caller_module = caller,
                                    .caller = fields[6]};
    return true;
}

static bool latency_of(const uint64_t *fields, uint32_t module, struct latency_key *ret_latency,
                       struct err *err)
{
    if (fields[2] >= LATENCY_BINS)
        return err_set(err, ERR_FORMAT, "latency of kind %llu", (unsigned long long)fields[2]);
    *ret_latency = (struct latency_key){
        .module = module, .bin = (uint32_t)fields[2], .address = {fields[1]}, .data = fields[3]};
    return true;
}

static bool modelled_of(const uint64_t *fields, uint32_t module, struct modelled_key *ret_modelled,
                        struct err *err)
{
    if (fields[2] >= MODELLED_KINDS)
        return err_set(err, ERR_FORMAT, "modelled row of kind %llu", (unsigned long long)fields[2]);
    *ret_modelled = (struct modelled_key){
        .module = module, .kind = (uint32_t)fields[2], .address = {fields[1]}, .detail = fields[3]};
    return true;
}

static bool turns_of(const uint64_t *fields, uint32_t module, struct turns_key *ret_turns,
                     struct err *err)
{
    if (!fields[3] || fields[3] > TURNS_MOST)
        return err_set(err, ERR_FORMAT, "directions of %llu branches",
                       (unsigned long long)fields[3]);
    *ret_turns = (struct turns_key){module, (uint32_t)fields[3], {fields[1]}, fields[2]};
    return true;
}

static bool conflict_kind(uint64_t kind, struct err *err)
{
    return ((kind & 0xff) < CONFLICT_TYPES && kind >> CONFLICT_CLASS_SHIFT < CONFLICT_CLASSES) ||
           err_set(err, ERR_FORMAT, "conflict of kind %llu", (unsigned long long)kind);
}

static bool conflict_of(const uint64_t *fields, const struct numbering *in_profile,
                        struct conflict_key *ret_conflict, struct err *err)
{
    struct conflict_key conflict = {.from = {fields[1]}, .to = {fields[3]}, .kind = fields[4]};
    if (!module_of(fields[0], in_profile, &conflict.from_module, err) ||
        !module_of(fields[2], in_profile, &conflict.to_module, err) ||
        !conflict_kind(conflict.kind, err))
        return false;
    *ret_conflict = conflict;
    return true;
}

static bool called_of(const uint64_t *fields, const struct numbering *in_profile,
                      struct called_key *ret_called, struct err *err)
{
    struct called_key called = {.from = {fields[1]},
                                .to = {fields[3]},
                                .from_caller_module = MODULE_NONE,
                                .to_caller_module = MODULE_NONE,
                                .from_caller = {fields[5]},
                                .to_caller = {fields[7]},
                                .kind = fields[8]};
    if (!module_of(fields[0], in_profile, &called.from_module, err) ||
        !module_of(fields[2], in_profile, &called.to_module, err) ||
        (fields[4] && !module_of(fields[4], in_profile, &called.from_caller_module, err)) ||
        (fields[6] && !module_of(fields[6], in_profile, &called.to_caller_module, err)) ||
        !conflict_kind(called.kind, err))
        return false;
    *ret_called = called;
    return true;
}

static bool waste_of(const uint64_t *fields, const struct numbering *in_profile,
                     struct waste_key *ret_waste, struct err *err)
{
    struct waste_key waste = {.first = {fields[1]},
                              .second = {fields[3]},
                              .first_caller_module = MODULE_NONE,
                              .second_caller_module = MODULE_NONE,
                              .first_caller = {fields[5]},
                              .second_caller = {fields[7]},
                              .kind = fields[8]};
    if (!module_of(fields[0], in_profile, &waste.first_module, err) ||
        !module_of(fields[2], in_profile, &waste.second_module, err) ||
        (fields[4] && !module_of(fields[4], in_profile, &waste.first_caller_module, err)) ||
        (fields[6] && !module_of(fields[6], in_profile, &waste.second_caller_module, err)))
        return false;
    if ((waste.kind & 0xff) >= WASTE_KINDS || waste.kind >> WASTE_CLASS_SHIFT >= WASTE_CLASSES)
        return err_set(err, ERR_FORMAT, "waste of kind %llu", (unsigned long long)fields[8]);
    *ret_waste = waste;
    return true;
}

bool row_to_key(enum chunk_type type, const struct row *row, const struct numbering *in_profile,
                union any_key *ret_key, struct err *err)
{
    const uint64_t *fields = row->fields;
    if (type == CHUNK_EDGES)
        return edge_of(fields, in_profile, &ret_key->edge, err);
    if (type == CHUNK_CONFLICTS)
        return conflict_of(fields, in_profile, &ret_key->conflict, err);
    if (type == CHUNK_CALLED)
        return called_of(fields, in_profile, &ret_key->called, err);
    if (type == CHUNK_WASTE)
        return waste_of(fields, in_profile, &ret_key->waste, err);
    uint32_t module = MODULE_NONE;
    if (!module_of(fields[0], in_profile, &module, err))
        return false;
    if (type == CHUNK_TRIPS)
        return trip_of(fields, module, &ret_key->trip, err);
    if (type == CHUNK_PATHS)
        return path_of(fields, module, &ret_key->path, err);
    if (type == CHUNK_VALUES)
        return value_of(fields, in_profile, module, &ret_key->value, err);
    if (type == CHUNK_LATENCIES)
        return latency_of(fields, module, &ret_key->latency, err);
    if (type == CHUNK_MODELLED)
        return modelled_of(fields, module, &ret_key->modelled, err);
    if (type == CHUNK_TURNS)
        return turns_of(fields, module, &ret_key->turns, err);
    if (type == CHUNK_FIRSTS) {
        ret_key->first = (struct first_key){.module = module, .at = {fields[1]}};
        return true;
    }
    if (fields[3] > UINT32_MAX)
        return err_set(err, ERR_FORMAT, "range of %llu instructions",
                       (unsigned long long)fields[3]);
    ret_key->range = (struct range_key){.module = module,
                                        .instructions = (uint32_t)fields[3],
                                        .start = {fields[1]},
                                        .last = {fields[2]}};
    return true;
}

#include "analysis/values/values.h"

#include "program/binary.h"
#include "profile/value_kinds.h"
#include "program/insn/decoded.h"
#include "analysis/values/value_findings.h"
#include "analysis/values/value_forgets.h"
#include "analysis/values/value_registers.h"
#include "wire/payload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *value_use_name(enum value_use use)
{
    static const char *const names[VALUE_USES] = {
        [VALUE_DIVISOR] = "divisor", [VALUE_SIZE] = "size",       [VALUE_TARGET] = "target",
        [VALUE_LOAD] = "load",       [VALUE_OPERAND] = "operand", [VALUE_RESULT] = "result",
        [VALUE_ADDRESS] = "address", [VALUE_STRIDES] = "stride",  [VALUE_ARGUMENT] = "argument",
        [VALUE_RETURN] = "return",   [VALUE_SYSCALL] = "syscall", [VALUE_CUSTOM] = "module",
        [VALUE_THREAD] = "thread",   [VALUE_CPU] = "cpu",         [VALUE_NODE] = "node",
        [VALUE_USER] = "user",       [VALUE_SIGNAL] = "signal",   [VALUE_PENDING] = "pending",
        [VALUE_LOCK] = "lock",       [VALUE_PAGE] = "page",       [VALUE_LINE] = "address+latency"};
    return names[use];
}

bool value_use_find(const char *name, enum value_use *ret_use)
{
    for (int use = 0; use < VALUE_USES; use++)
        if (!strcmp(name, value_use_name((enum value_use)use))) {
            *ret_use = (enum value_use)use;
            return true;
        }
    return false;
}

/* ---- what an instruction does with it */

static bool reads_memory(const struct decoded *decoded)
{
    for (int i = 0; i < decoded->instruction.operand_count_visible; i++)
        if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (decoded->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ))
            return true;
    return false;
}

static bool reads(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY
               ? operand->mem.base != ZYDIS_REGISTER_RIP ||
                     operand->mem.type == ZYDIS_MEMOP_TYPE_MEM
               : operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
}

/* A literal of the program: mov 0x123(%rip), %xmm0. */
static bool is_literal(const struct image *image, struct svma at, const struct decoded *decoded)
{
    const ZydisDecodedOperand *operand = &decoded->operands[1];
    ZyanU64 address = 0;
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == ZYDIS_REGISTER_RIP &&
           ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded->instruction, operand, at.v, &address)) &&
           image_constant(image, (struct svma){address});
}

/* Constants in the code, and registers cleared or filled: that they are always the same is no news.
 */
static bool constant(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    const ZydisDecodedOperand *operands = decoded->operands;
    if (value_forgets(decoded))
        return true;
    for (int i = 0; i < instruction->operand_count; i++)
        if (reads(&operands[i]))
            return false;
    return true;
}

/* Moves, extensions and conversions of what memory holds, and nothing computed from it. */
static bool loads(const struct decoded *decoded)
{
    ZydisInstructionCategory category = decoded->instruction.meta.category;
    return reads_memory(decoded) &&
           (category == ZYDIS_CATEGORY_DATAXFER || category == ZYDIS_CATEGORY_POP ||
            category == ZYDIS_CATEGORY_BROADCAST || category == ZYDIS_CATEGORY_CMOV);
}

static bool divides(const struct decoded *decoded)
{
    return decoded->instruction.mnemonic == ZYDIS_MNEMONIC_DIV ||
           decoded->instruction.mnemonic == ZYDIS_MNEMONIC_IDIV;
}

/* VALUE_USES: nothing that is worth telling. `decoded`: NULL, it is not known. */
static enum value_use use_of(const struct decoded *decoded, uint32_t key_kind)
{
    if (key_kind & VALUE_STRIDE)
        return VALUE_STRIDES;
    switch (key_kind & (VALUE_LATER | 0xff)) {
    case VALUE_OF_MODULE: return VALUE_CUSTOM;
    case VALUE_OF_THREAD: return VALUE_THREAD;
    case VALUE_OF_CPU: return VALUE_CPU;
    case VALUE_OF_NODE: return VALUE_NODE;
    case VALUE_OF_LOCK: return VALUE_LOCK;
    case VALUE_OF_LINE: return VALUE_LINE;
    case VALUE_OF_USER: return VALUE_USER;
    case VALUE_OF_SIGNAL: return VALUE_SIGNAL;
    case VALUE_OF_PENDING: return VALUE_PENDING;
    case VALUE_OF_PAGE: return VALUE_PAGE;
    case VALUE_LATER | PAYLOAD_SYSCALL: return VALUE_SYSCALL;
    default: break;
    }
    if (key_kind & VALUE_LATER)
        return VALUE_USES; /* of a newer gait */
    switch ((enum payload_kind)(key_kind & 0xff)) {
    case PAYLOAD_COUNT: return VALUE_SIZE;
    case PAYLOAD_ARGUMENT: return VALUE_ARGUMENT;
    case PAYLOAD_RETURNED: return VALUE_RETURN;
    case PAYLOAD_OPERAND: return decoded && divides(decoded) ? VALUE_DIVISOR : VALUE_OPERAND;
    case PAYLOAD_RESULT:
    case PAYLOAD_VECTOR:
        if (decoded && constant(decoded))
            return VALUE_USES;
        return decoded && loads(decoded) ? VALUE_LOAD : VALUE_RESULT;
    default: return VALUE_ADDRESS;
    }
}

/* ---- rows of the profile, place by place */

struct record {
    struct value_key key; /* the module is the scene's, the kind without the two that follow */
    bool all, unsure;
    const struct sums *sums;
};

static int by_place(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key.module != y->key.module)
        return x->key.module < y->key.module ? -1 : 1;
    if (x->key.address != y->key.address)
        return x->key.address < y->key.address ? -1 : 1;
    if (x->key.kind != y->key.kind)
        return x->key.kind < y->key.kind ? -1 : 1;
    if (x->key.caller_module != y->key.caller_module)
        return x->key.caller_module < y->key.caller_module ? -1 : 1;
    if (x->key.caller != y->key.caller)
        return x->key.caller < y->key.caller ? -1 : 1;
    if (x->all != y->all)
        return x->all ? -1 : 1;
    if (x->unsure != y->unsure)
        return x->unsure ? -1 : 1;
    if (x->sums->count != y->sums->count)
        return x->sums->count > y->sums->count ? -1 : 1;
    if (x->key.to != y->key.to)
        return x->key.to < y->key.to ? -1 : 1;
    return x->key.value < y->key.value ? -1 : x->key.value > y->key.value;
}

static double units(uint64_t count)
{
    return (double)count / (1 << VALUE_BITS);
}

/* Of a trace: between what was counted and what may have been lost with values that were rare. */
static struct estimate share_exact(const struct sums *value, const struct sums *all)
{
    double total = (double)all->count, share = (double)value->count / total;
    return (struct estimate){share, share,
                             fmin(1, ((double)value->count + (double)value->time) / total)};
}

static struct estimate share_of(const struct sums *value, const struct sums *all)
{
    double total = (double)all->count, share = (double)value->count / total;
    double batches = total * total / (double)all->count_yy;
    double windows = units(all->time);
    struct estimate coin = binomial_share(share * windows, windows);
    if (batches < 2)
        return (struct estimate){share, coin.lo, coin.hi};
    double spread = (double)value->count_yy - 2 * share * (double)value->time_yy +
                    share * share * (double)all->count_yy;
    double deviation = sqrt(fmax(spread, 0) * batches / (batches - 1)) / total;
    double wide = deviation * student_t((uint64_t)(batches - 1));
    return (struct estimate){share, fmax(0, fmin(share - wide, coin.lo)),
                             fmin(1, fmax(share + wide, coin.hi))};
}

/* Of a value through a hotlist with this threshold: what chance may have done to its count, below
 * and above (compress/hotlist_concise.c, hotlist_counting.c). What space-saving counts is certain.
 */
static struct estimate share_widen(struct estimate share, enum hotlist_kind kind, double unsure,
                                   double count, double total)
{
    double below = 0, above = unsure;
    if (kind == HOTLIST_CONCISE)
        below = above = 1.96 * sqrt(count * fmax(0, unsure - 1));
    else if (kind == HOTLIST_COUNTING) {
        double before = fmax(0, 0.418 * unsure - 1);
        below = unsure > 1 ? fmin(before, count) : 0;
        above = unsure > 1 ? 3 * unsure - before : 0;
    }
    return (struct estimate){share.value, fmax(0, share.lo - below / total),
                             fmin(1, share.hi + above / total)};
}

static double saving(const struct places_values *places, const struct value_place *place)
{
    double instructions = (double)places->scene->sides[0]->totals.instructions;
    double often = place->n ? places->values.at[place->first].count : 0;
    if (place->constant || !instructions)
        return 0;
    if (place->use == VALUE_STRIDES && place->n && !places->values.at[place->first].value)
        return 0; /* always the same place */
    return 1000 * often * value_use_cycles((enum value_use)place->use) / instructions;
}

void values_place_add(struct places_values *places, struct value_place *place)
{
    place->n = places->values.n - place->first;
    place->saves = saving(places, place);
    places->total += place->total;
    *vec_push(places) = *place;
}

/* How its bits are to be read; bytes 0: nobody reads them. */
static struct value_form form_of(struct value_registers *registers, const struct value_key *key,
                                 enum value_use use, const struct decoded *decoded)
{
    uint32_t detail = key->kind >> VALUE_DETAIL_SHIFT & 0xff;
    bool data = use == VALUE_LOAD || use == VALUE_RESULT || use == VALUE_OPERAND;
    if (use == VALUE_ARGUMENT)
        return value_registers_argument(registers, key->module, key->address, detail);
    if (use == VALUE_RETURN)
        return value_registers_result(registers, key->module, key->address, detail);
    if (use == VALUE_SYSCALL)
        return value_registers_syscall(registers, key->module, key->address, detail);
    return decoded && data ? value_form_of(decoded, (key->kind & 0xff) == PAYLOAD_VECTOR)
                           : (struct value_form){VALUE_INTEGER, 8};
}

static void place_add(struct places_values *places, struct value_registers *registers,
                      const struct record *records, size_t n)
{
    const struct value_key *key = &records[0].key;
    const struct binary *binary = scene_binary(places->scene, key->module);
    struct decoded decoded;
    bool known = binary && decoded_read(&binary->image, (struct svma){key->address}, &decoded);
    bool vector = (key->kind & 0xff) == PAYLOAD_VECTOR;
    enum value_use use = use_of(known ? &decoded : NULL, key->kind);
    if (use == VALUE_USES || !(places->kinds & 1u << use))
        return;
    struct value_form form = form_of(registers, key, use, known ? &decoded : NULL);
    if (!form.bytes)
        return;
    bool exact = places->scene->sides[0]->mode == PROFILE_EXACT;
    bool literal = known && use == VALUE_LOAD &&
                   is_literal(&binary->image, (struct svma){key->address}, &decoded);
    struct value_place place = {.module = key->module,
                                .address = key->address,
                                .constant = literal,
                                .detail = (uint8_t)(key->kind >> VALUE_DETAIL_SHIFT),
                                .vector = vector,
                                .use = (uint8_t)use,
                                .form = form,
                                .caller_module = key->caller_module,
                                .caller = key->caller,
                                .total = units(records[0].sums->count),
                                .first = places->values.n};
    bool hot = n > 1 && records[1].unsure;
    place.unsure = hot                                       ? units(records[1].sums->count)
                   : places->hotlist == HOTLIST_SPACE_SAVING ? 0
                                                             : (double)NAN;
    for (size_t i = 1 + hot; i < n; i++) {
        struct place_value value = {records[i].key.value, records[i].key.to,
                                    units(records[i].sums->count),
                                    exact ? share_exact(records[i].sums, records[0].sums)
                                          : share_of(records[i].sums, records[0].sums)};
        if (hot)
            value.share =
                share_widen(value.share, places->hotlist, place.unsure, value.count, place.total);
        *vec_push(&places->values) = value;
    }
    values_place_add(places, &place);
}

static int by_saving(const void *a, const void *b)
{
    const struct value_place *x = a, *y = b;
    if (x->saves != y->saves)
        return x->saves > y->saves ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->use != y->use)
        return x->use < y->use ? -1 : 1;
    return x->caller < y->caller ? -1 : x->caller > y->caller;
}

struct records {
    VEC(struct record);
};

static void records_take(struct records *records, const struct scene *scene)
{
    const struct table *table = &scene->sides[0]->values;
    for (uint32_t i = 0; i < table->n; i++) {
        struct record record = {.sums = &table->at[i]};
        memcpy(&record.key, map_key(&table->keys, i), sizeof record.key);
        record.key.module = scene_module(scene, 0, record.key.module);
        record.key.to = scene_module(scene, 0, record.key.to);
        record.key.caller_module = scene_module(scene, 0, record.key.caller_module);
        record.all = record.key.kind & VALUE_ALL;
        record.unsure = record.key.kind & VALUE_UNSURE;
        record.key.kind &= ~(uint32_t)(VALUE_ALL | VALUE_UNSURE);
        if (record.key.module != MODULE_NONE && scene->modules.at[record.key.module].shown)
            *vec_push(records) = record;
    }
    if (records->n)
        qsort(records->at, records->n, sizeof *records->at, by_place);
}

static bool same_place(const struct record *a, const struct record *b)
{
    return a->key.module == b->key.module && a->key.address == b->key.address &&
           a->key.kind == b->key.kind && a->key.caller_module == b->key.caller_module &&
           a->key.caller == b->key.caller;
}

/* HOTLIST_KINDS: values came through none. */
static enum hotlist_kind hotlist_of(const struct profile *profile)
{
    const char *name = profile_fact_find(profile, "hotlist");
    enum hotlist_kind kind = 0;
    while (kind < HOTLIST_KINDS && (!name || strcmp(name, hotlist_kind_name(kind)) != 0))
        kind++;
    return kind;
}

/* How many arguments of a system call mean something follows from its numbers. */
static void syscalls_meet(struct value_registers *registers, const struct records *records)
{
    for (size_t i = 0; i < records->n; i++) {
        const struct record *record = &records->at[i];
        if (record->key.kind == (VALUE_LATER | PAYLOAD_SYSCALL) && !record->all && !record->unsure)
            value_registers_meet(registers, record->key.module, record->key.address,
                                 record->key.value);
    }
}

void values_make(struct places_values *places, struct scene *scene, uint32_t kinds)
{
    struct records records = {0};
    struct value_registers registers;
    value_registers_init(&registers, scene);
    *places = (struct places_values){
        .scene = scene, .kinds = kinds, .hotlist = hotlist_of(scene->sides[0])};
    records_take(&records, scene);
    syscalls_meet(&registers, &records);
    for (size_t i = 0, n; i < records.n; i += n) {
        for (n = 1; i + n < records.n && same_place(&records.at[i], &records.at[i + n]); n++)
            ;
        /* Without a row of all, which only a file that was cut off can lack, shares are not known.
         */
        if (records.at[i].all && records.at[i].sums->count &&
            scene_place_wanted(scene, records.at[i].key.module, records.at[i].key.address))
            place_add(places, &registers, &records.at[i], n);
    }
    if (scene->sides[0]->mode != PROFILE_EXACT)
        values_savings(places);
    if (kinds & 1u << VALUE_TARGET)
        values_targets(places);
    if (places->n)
        qsort(places->at, places->n, sizeof *places->at, by_saving);
    vec_release(&records);
    value_registers_release(&registers);
}

void values_release(struct places_values *places)
{
    vec_release(&places->values);
    vec_release(places);
}

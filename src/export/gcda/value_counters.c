#include "export/gcda/value_counters.h"

#include "analysis/counts/scene.h"
#include "wire/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    RAX = 0,
    RDX = 2,       /* the third argument of a call */
    PAIRS_MAX = 32 /* that gcc keeps of one statement */
};
/* An average of less of the values says little. */
static const double AVERAGED = 0.9;

#define ORDER(field)                                                                               \
    if (x->field != y->field)                                                                      \
    return x->field < y->field ? -1 : 1

/* ---- what was recorded */

static int seen_order(const void *a, const void *b)
{
    const struct value_seen *x = a, *y = b;
    ORDER(address);
    ORDER(kind);
    ORDER(value);
    return 0;
}

/* Arguments are by the return address of their call. */
static bool seen_take(const struct value_key *key, const struct scene *scene, uint32_t wanted,
                      struct value_seen *ret)
{
    bool argument = (key->kind & 0xff) == PAYLOAD_ARGUMENT;
    uint32_t module = argument ? key->caller_module : key->module;
    *ret = (struct value_seen){
        .address = argument ? key->caller : key->address, .value = key->value, .kind = key->kind};
    return !(key->kind & (VALUE_UNSURE | VALUE_STRIDE)) && key->to == MODULE_NONE &&
           module != MODULE_NONE && scene->module_of[0].at[module] == wanted;
}

void value_counters_open(struct value_counters *values, const struct code_counts *code)
{
    const struct table *table = &code->scene->sides[0]->values;
    *values = (struct value_counters){0};
    for (uint32_t i = 0; i < table->n; i++) {
        struct value_seen seen;
        struct value_key key;
        memcpy(&key, map_key(&table->keys, i), sizeof key);
        if (!seen_take(&key, code->scene, code->module, &seen))
            continue;
        seen.count = table->at[i].count;
        *vec_push(&values->seen) = seen;
    }
    if (values->seen.n)
        qsort(values->seen.at, values->seen.n, sizeof *values->seen.at, seen_order);
}

void value_counters_close(struct value_counters *values)
{
    vec_release(&values->seen);
    vec_release(values);
}

static const struct valued_function *valued_of(const struct objects *objects,
                                               struct object_function at)
{
    return valued_find(&objects->at[at.object].valued, objects_function(objects, at)->name);
}

bool value_counters_know(const struct value_counters *values, const struct objects *objects,
                         struct object_function at)
{
    return values->seen.n && valued_of(objects, at);
}

/* ---- instructions */

bool division_read(const uint8_t *bytes, size_t n, struct division *ret)
{
    size_t at = 0;
    bool word = false;
    uint8_t rex = 0;
    for (; at < n && (bytes[at] == 0x66 || bytes[at] == 0x67); at++)
        word |= bytes[at] == 0x66;
    if (at < n && (bytes[at] & 0xF0) == 0x40)
        rex = bytes[at++];
    if (n - at < 2 || (bytes[at] & 0xFE) != 0xF6 || (bytes[at + 1] >> 3 & 6) != 6)
        return false;
    ret->is_signed = bytes[at + 1] >> 3 & 1;
    ret->bits = bytes[at] == 0xF6 ? 8 : rex & 8 ? 64 : word ? 16 : 32;
    return true;
}

/* As gcc counts it: a number of 64 bits. */
static uint64_t value_widen(uint64_t value, const struct division *division)
{
    unsigned spare = 64u - division->bits;
    uint64_t top = value << spare;
    return division->is_signed ? (uint64_t)((int64_t)top >> spare) : top >> spare;
}

/* Which statements an instruction may be of, and which of its values they want. */
struct wanted {
    bool string;
    struct division division;
};

static bool is_of(const struct valued_statement *statement, const struct chain_link *inner,
                  const struct wanted *wanted)
{
    bool fits = wanted->string
                    ? statement->kind == VALUED_STRING
                    : statement->kind == VALUED_DIVISION || statement->kind == VALUED_REMAINDER;
    return fits && statement->file && statement->line == inner->line &&
           statement->column == inner->column &&
           strcmp(file_last_part(statement->file), file_last_part(inner->file)) == 0;
}

static size_t seen_from(const struct values_seen *seen, uint64_t address)
{
    size_t low = 0, high = seen->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seen->at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Values of one kind are as frequent among the executions as they were where they were seen. */
static void kind_add(struct value_counters *values, struct value_counter counter, uint64_t address,
                     uint32_t kind, const struct division *division, uint64_t count)
{
    const struct values_seen *seen = &values->seen;
    size_t first = seen_from(seen, address);
    uint64_t all = 0;
    for (size_t i = first; i < seen->n && seen->at[i].address == address; i++)
        if (seen->at[i].kind == (kind | VALUE_ALL))
            all += seen->at[i].count;
    for (size_t i = first; all && i < seen->n && seen->at[i].address == address; i++) {
        if (seen->at[i].kind != kind)
            continue;
        double share = (double)seen->at[i].count / (double)all;
        counter.value = division ? value_widen(seen->at[i].value, division) : seen->at[i].value;
        counter.count = (uint64_t)(share * (double)count + 0.5);
        if (counter.count)
            *vec_push(values) = counter;
    }
}

static void statement_add(struct value_counters *values, struct value_counter counter,
                          const struct instruction *at, const struct wanted *wanted, uint64_t count)
{
    const struct division *division = wanted->string ? NULL : &wanted->division;
    counter.count = count;
    *vec_push(values) = counter;
    counter.what = COUNTED_VALUE;
    if (wanted->string) {
        kind_add(values, counter, instruction_next(at).v, value_kind(PAYLOAD_ARGUMENT, RDX), NULL,
                 count);
        return;
    }
    for (uint32_t r = 0; r < PAYLOAD_XMM; r++)
        kind_add(values, counter, at->at.v, value_kind(PAYLOAD_OPERAND, r), division, count);
    counter.what = COUNTED_QUOTIENT;
    kind_add(values, counter, at->at.v, value_kind(PAYLOAD_RESULT, RAX), division, count);
}

/* The outermost function that lists the statement has it: what gcc inlined before it made its
 * graphs is inside them. */
static bool link_add(struct value_counters *values, const struct chains *chains, size_t link,
                     const uint32_t *first, const struct instruction *at,
                     const struct wanted *wanted, uint64_t count)
{
    const struct chain_link *owner = &chains->at[link];
    const struct valued_function *function =
        owner->known ? valued_of(chains->objects, owner->function) : NULL;
    bool found = false;
    for (size_t i = 0; function && i < function->n; i++) {
        if (!is_of(&function->at[i], &chains->at[0], wanted))
            continue;
        struct value_counter counter = {.function = first[owner->function.object] +
                                                    owner->function.function,
                                        .statement = (uint32_t)i};
        statement_add(values, counter, at, wanted, count);
        found = true;
    }
    return found;
}

void value_counters_see(struct value_counters *values, const struct chains *chains,
                        const uint32_t *first, const struct image *image,
                        const struct instruction *instruction, uint64_t count)
{
    struct wanted wanted = {.string = instruction->kind == INSTRUCTION_CALL};
    size_t room;
    const uint8_t *bytes = image_bytes(image, instruction->at, &room);
    if (!values->seen.n || !count || !chains->n || !chains->at[0].file ||
        (!wanted.string && (!bytes || !division_read(bytes, instruction->bytes, &wanted.division))))
        return;
    for (size_t i = chains->n; i-- > 0;)
        if (link_add(values, chains, i, first, instruction, &wanted, count))
            return;
}

static int counter_order(const void *a, const void *b)
{
    const struct value_counter *x = a, *y = b;
    ORDER(function);
    ORDER(statement);
    ORDER(what);
    ORDER(value);
    return 0;
}

/* The most frequent value of a statement first. */
static int frequency_order(const void *a, const void *b)
{
    const struct value_counter *x = a, *y = b;
    ORDER(function);
    ORDER(statement);
    ORDER(what);
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    ORDER(value);
    return 0;
}

void value_counters_sort(struct value_counters *values)
{
    size_t kept = 0;
    if (!values->n)
        return;
    qsort(values->at, values->n, sizeof *values->at, counter_order);
    for (size_t i = 0; i < values->n; i++)
        if (kept && counter_order(&values->at[kept - 1], &values->at[i]) == 0)
            values->at[kept - 1].count += values->at[i].count;
        else
            values->at[kept++] = values->at[i];
    values->n = kept;
    qsort(values->at, values->n, sizeof *values->at, frequency_order);
}

/* ---- counters */

/* What is known of one statement. */
struct known {
    uint64_t all;
    const struct value_counter *values, *quotients;
    size_t n_values, n_quotients;
};

static size_t counters_from(const struct value_counters *values, uint32_t function,
                            uint32_t statement)
{
    const struct value_counter key = {.function = function, .statement = statement};
    size_t low = 0, high = values->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct value_counter *at = &values->at[middle];
        if (at->function < key.function ||
            (at->function == key.function && at->statement < key.statement))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct known statement_known(const struct value_counters *values, uint32_t function,
                                    uint32_t statement)
{
    struct known known = {0};
    for (size_t i = counters_from(values, function, statement); i < values->n; i++) {
        const struct value_counter *at = &values->at[i];
        if (at->function != function || at->statement != statement)
            break;
        if (at->what == COUNTED_ALL)
            known.all = at->count;
        else if (at->what == COUNTED_VALUE && !known.n_values++)
            known.values = at;
        else if (at->what == COUNTED_QUOTIENT && !known.n_quotients++)
            known.quotients = at;
    }
    return known;
}

static struct counts_row *row_of(struct counts_function *counted, enum counts_kind kind)
{
    counted->rows[kind].there = true;
    return &counted->rows[kind];
}

static void zeros_add(struct counts_row *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *vec_push(row) = 0;
}

static void frequent_write(struct counts_function *counted, const struct known *known)
{
    struct counts_row *row = row_of(counted, COUNTS_TOPN);
    size_t pairs = known->n_values < PAIRS_MAX ? known->n_values : PAIRS_MAX;
    *vec_push(row) = pairs ? known->all : 0;
    *vec_push(row) = pairs;
    for (size_t i = 0; i < pairs; i++) {
        *vec_push(row) = known->values[i].value;
        *vec_push(row) = known->values[i].count;
    }
}

static uint64_t rest(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0;
}

/* Others, powers of two; then how often the quotient was 0, 1, more, less. That of which nothing is
 * known is none. */
static void remainder_write(struct counts_function *counted, const struct known *known)
{
    struct counts_row *powers = row_of(counted, COUNTS_POW2),
                      *row = row_of(counted, COUNTS_INTERVAL);
    uint64_t power = 0, quotients[2] = {0};
    for (size_t i = 0; i < known->n_values; i++)
        if (__builtin_popcountll(known->values[i].value) == 1)
            power += known->values[i].count;
    for (size_t i = 0; i < known->n_quotients; i++)
        if (known->quotients[i].value < 2)
            quotients[known->quotients[i].value] += known->quotients[i].count;
    *vec_push(powers) = known->all ? rest(known->all, power) : 1;
    *vec_push(powers) = power;
    *vec_push(row) = quotients[0];
    *vec_push(row) = quotients[1];
    *vec_push(row) = known->all ? rest(known->all, quotients[0] + quotients[1]) : 1;
    *vec_push(row) = 0;
}

/* Sum and number of sizes; which bits a destination had, of which nothing is known. */
static void string_write(struct counts_function *counted, const struct known *known)
{
    struct counts_row *average = row_of(counted, COUNTS_AVERAGE),
                      *bits = row_of(counted, COUNTS_IOR);
    uint64_t n = 0;
    double sum = 0;
    for (size_t i = 0; i < known->n_values; i++) {
        n += known->values[i].count;
        sum += (double)known->values[i].value * (double)known->values[i].count;
    }
    bool told = n && (double)n >= AVERAGED * (double)known->all && sum < 0x1p62;
    *vec_push(average) = told ? (uint64_t)sum : 0;
    *vec_push(average) = told ? n : 0;
    *vec_push(bits) = 0;
}

bool value_counters_write(const struct value_counters *values, const struct valued_function *valued,
                          uint32_t function, struct counts_function *counted)
{
    struct counts_row *targets = &counted->rows[COUNTS_INDIRECT];
    size_t first = counters_from(values, function, 0);
    bool any = first < values->n && values->at[first].function == function;
    bool seen = targets->there;
    if (!any && !seen)
        return false;
    counted->rows[COUNTS_TOPN].n = 0;
    row_of(counted, COUNTS_TOPN);
    for (size_t i = 0; i < valued->n; i++) {
        struct known known = statement_known(values, function, (uint32_t)i);
        if (valued->at[i].kind == VALUED_INDIRECT) {
            if (!seen) /* gcc reads counters of calls that were not seen, too */
                zeros_add(row_of(counted, COUNTS_INDIRECT), 2);
            continue;
        }
        frequent_write(counted, &known);
        if (valued->at[i].kind == VALUED_REMAINDER)
            remainder_write(counted, &known);
        if (valued->at[i].kind == VALUED_STRING)
            string_write(counted, &known);
    }
    return any;
}

/* BOLT's fdata: how often control went from one place to another, by function and offset, steps
 * from one block into the next included. A block ran as often as control came to it or left it,
 * whatever is more. */
#include "import/import.h"
#include "import/straight.h"

#include "base/err.h"
#include "program/binary.h"
#include "program/bolt_names.h"
#include "program/cfg/cfg_build.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

struct record {
    uint64_t from, to; /* 0: elsewhere */
    uint64_t count;
};

struct reading {
    struct err *err;
    size_t line;
    struct binary binary;
    struct bolt_names names;
    struct map by_name; /* hash of a name -> index of names */
    struct records {
        VEC(struct record);
    } records;
    uint64_t strays;    /* records of functions that the program does not have */
    uint64_t uncounted; /* functions that were entered, and nothing else */
    struct straight straight;
    uint32_t object;
};

/* ---- names */

static uint64_t hash_of(const char *text, size_t n)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    return hash;
}

static void names_index(struct reading *reading)
{
    map_init(&reading->by_name, sizeof(uint64_t));
    for (size_t i = 0; i < reading->names.n; i++) {
        const char *name = reading->names.at[i].name;
        uint64_t hash = name ? hash_of(name, strlen(name)) : i;
        while (map_find(&reading->by_name, &hash) != MAP_NONE)
            hash++; /* a name twice: the first has it */
        map_add(&reading->by_name, &hash);
    }
}

static bool place_find(const struct reading *reading, const char *name, uint64_t offset,
                       uint64_t *ret_at)
{
    uint64_t hash = hash_of(name, strlen(name));
    uint32_t i = map_find(&reading->by_name, &hash);
    if (i == MAP_NONE || !reading->names.at[i].name || strcmp(reading->names.at[i].name, name) != 0)
        return false;
    *ret_at = reading->names.at[i].start + offset;
    return true;
}

/* ---- lines */

/* "1 name 1f": a word may have spaces and backslashes behind backslashes. */
static bool place_read(struct reading *reading, char **at, bool *ret_known, uint64_t *ret_at)
{
    char *end, *name, *to;
    unsigned long type = strtoul(*at, &end, 10);
    if (end == *at || *end != ' ')
        return err_set(reading->err, ERR_FORMAT, "line %zu: not a place", reading->line);
    for (name = to = ++end; *end && *end != ' '; end++) {
        if (*end == '\\' && end[1])
            end++;
        *to++ = *end;
    }
    if (*end != ' ')
        return err_set(reading->err, ERR_FORMAT, "line %zu: a place without an offset",
                       reading->line);
    *to = 0;
    uint64_t offset = strtoull(end + 1, at, 16);
    *ret_known = type && place_find(reading, name, offset, ret_at);
    reading->strays += type && !*ret_known;
    return true;
}

static bool line_read(struct reading *reading, char *line)
{
    struct record record = {0};
    bool from, to;
    char *end;
    if (!*line || strncmp(line, "boltedcollection", 16) == 0)
        return true;
    if (strncmp(line, "no_lbr", 6) == 0)
        return err_set(reading->err, ERR_FORMAT, "samples without branches are no counts");
    if (!place_read(reading, &line, &from, &record.from) || !(line += strspn(line, " ")) ||
        !place_read(reading, &line, &to, &record.to))
        return false;
    strtoull(line, &end, 10); /* wrongly predicted */
    record.count = strtoull(end, &line, 10);
    if (line == end)
        return err_set(reading->err, ERR_FORMAT, "line %zu: no count", reading->line);
    record.from = from ? record.from : 0;
    record.to = to ? record.to : 0;
    if (record.count && (from || to))
        *vec_push(&reading->records) = record;
    return true;
}

/* ---- counts of blocks */

struct tallies {
    uint64_t *in, *out;
};

/* A function and a record that starts or ends in it. */
struct visit {
    function_id function;
    uint32_t record;
};
struct visits {
    VEC(struct visit); /* by function, then record */
};

static void visits_tally(const struct reading *reading, const struct visit *visits, size_t n,
                         const struct cfg *cfg, struct tallies *tallies)
{
    for (size_t i = 0; i < n; i++) {
        const struct record *record = &reading->records.at[visits[i].record];
        uint32_t from =
            record->from ? cfg_find(cfg, (struct svma){record->from}) : INSTRUCTION_NONE;
        uint32_t to = record->to ? cfg_find(cfg, (struct svma){record->to}) : INSTRUCTION_NONE;
        if (to != INSTRUCTION_NONE)
            sum_add(&tallies->in[cfg->block_of[to]], record->count);
        bool call =
            from != INSTRUCTION_NONE && (cfg->instructions.at[from].kind == INSTRUCTION_CALL ||
                                         cfg->instructions.at[from].kind == INSTRUCTION_ICALL);
        if (from != INSTRUCTION_NONE && !call)
            sum_add(&tallies->out[cfg->block_of[from]], record->count);
    }
}

/* Control came to its first block and did not leave it, though it neither returns nor is a stub:
 * BOLT leaves functions as they are whose indirect jumps it does not understand. */
static bool is_uncounted(const struct cfg *cfg, const struct tallies *tallies)
{
    uint64_t out = 0, in = 0;
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        out |= tallies->out[b];
        in |= b ? tallies->in[b] : 0;
    }
    if (!cfg->blocks.n || !tallies->in[0] || out || in)
        return false;
    const struct cfg_block *first = &cfg->blocks.at[0];
    const struct instruction *last = &cfg->instructions.at[first->first + first->instructions - 1];
    return last->kind == INSTRUCTION_COND || !instruction_ends_block(last);
}

static void blocks_count(struct reading *reading, const struct cfg *cfg,
                         const struct tallies *tallies)
{
    uint64_t before = 0; /* what goes on into a block that nobody jumps to */
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        const struct instruction *last =
            &cfg->instructions.at[block->first + block->instructions - 1];
        uint64_t count = tallies->in[b] > tallies->out[b] ? tallies->in[b] : tallies->out[b];
        count = count ? count : before;
        for (uint32_t i = 0; i < block->instructions && count; i++)
            straight_count(&reading->straight, reading->object,
                           cfg->instructions.at[block->first + i].at.v, count);
        before = instruction_ends_block(last) || tallies->out[b] ? 0 : count;
    }
}

/* Of all that was read, only the visits to the function are looked at: programs have ten thousands
 * of both. */
static void function_count(struct reading *reading, const struct visit *visits, size_t n,
                           struct cfg_seen *seen)
{
    struct cfg cfg;
    for (size_t i = 0; i < n; i++) {
        const struct record *record = &reading->records.at[visits[i].record];
        seen[i] = (struct cfg_seen){.from = {record->from}, .to = {record->to}};
    }
    cfg_build(&cfg, &reading->binary.image, &reading->binary.symbols, visits->function, seen, n);
    struct tallies tallies = {mem_alloc((cfg.blocks.n + 1) * sizeof *tallies.in),
                              mem_alloc((cfg.blocks.n + 1) * sizeof *tallies.out)};
    visits_tally(reading, visits, n, &cfg, &tallies);
    reading->uncounted += is_uncounted(&cfg, &tallies);
    blocks_count(reading, &cfg, &tallies);
    mem_free(tallies.in);
    mem_free(tallies.out);
    cfg_release(&cfg);
}

static int record_order(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int visit_order(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void visits_list(const struct reading *reading, struct visits *visits)
{
    const struct symbols *symbols = &reading->binary.symbols;
    for (uint32_t i = 0; i < reading->records.n; i++) {
        const struct record *record = &reading->records.at[i];
        function_id from = symbols_find(symbols, (struct svma){record->from}),
                    to = symbols_find(symbols, (struct svma){record->to});
        if (from != FUNCTION_NONE)
            *vec_push(visits) = (struct visit){from, i};
        if (to != FUNCTION_NONE && to != from)
            *vec_push(visits) = (struct visit){to, i};
    }
    if (visits->n)
        qsort(visits->at, visits->n, sizeof *visits->at, visit_order);
}

static void functions_count(struct reading *reading)
{
    struct visits visits = {0};
    visits_list(reading, &visits);
    struct cfg_seen *seen = mem_alloc((visits.n + 1) * sizeof *seen);
    for (size_t i = 0, end; i < visits.n; i = end) {
        for (end = i + 1; end < visits.n && visits.at[end].function == visits.at[i].function;)
            end++;
        function_count(reading, &visits.at[i], end - i, seen);
    }
    mem_free(seen);
    vec_release(&visits);
}

static void jumps_list(struct reading *reading)
{
    struct straight_object *object = &reading->straight.at[reading->object];
    for (size_t i = 0; i < reading->records.n; i++) {
        const struct record *record = &reading->records.at[i];
        struct instruction instruction;
        if (!record->from || !record->to ||
            !disasm_at(&reading->binary.image, (struct svma){record->from}, &instruction))
            continue;
        struct straight_jump jump = {
            .from = record->from, .to = record->to, .count = record->count};
        bool next = record->to == instruction_next(&instruction).v;
        if (instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_ICALL)
            *vec_push(&object->calls) = jump;
        else if (instruction.kind == INSTRUCTION_IJUMP || instruction.kind == INSTRUCTION_JUMP ||
                 (instruction.kind == INSTRUCTION_COND && !next))
            *vec_push(&object->jumps) = jump;
    }
}

bool import_fdata(struct profile *profile, FILE *from, const char *binary, struct err *err)
{
    struct reading reading = {.err = err};
    char *line = NULL, *path = realpath(binary, NULL);
    size_t room = 0;
    if (!path)
        return err_errno(err, "%s", binary);
    bool ok = binary_open(&reading.binary, path, err);
    if (ok) {
        bolt_names_read(&reading.names, &reading.binary);
        names_index(&reading);
        reading.object = straight_object(&reading.straight, arena_string(&profile->arena, path));
    }
    free(path);
    if (!ok)
        return false;
    while (ok && getline(&line, &room, from) > 0) {
        reading.line++;
        line[strcspn(line, "\r\n")] = 0;
        ok = line_read(&reading, line);
    }
    free(line);
    if (ok) {
        if (reading.records.n)
            qsort(reading.records.at, reading.records.n, sizeof *reading.records.at, record_order);
        functions_count(&reading);
        jumps_list(&reading);
        straight_write(&reading.straight, profile);
        profile_loss(profile, "stray", reading.strays);
        profile_loss(profile, "uncounted", reading.uncounted);
    }
    straight_release(&reading.straight);
    vec_release(&reading.records);
    map_release(&reading.by_name);
    bolt_names_release(&reading.names);
    binary_close(&reading.binary);
    return ok;
}

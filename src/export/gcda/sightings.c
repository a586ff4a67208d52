#include "export/gcda/sightings.h"

#include "base/err.h"
#include "export/gcda/gathering.h"
#include "export/gcda/vector_lanes.h"
#include "program/cfg/cfg.h"
#include "program/dwarf/debug_info.h"
#include "program/insn/disasm.h"

#include <string.h>

/* ---- whose a place is */

static bool same_function(const struct chain_link *a, const struct chain_link *b)
{
    return a->known && b->known && a->function.object == b->function.object &&
           a->function.function == b->function.function;
}

/* Which of the copies that were inlined into the function of the link; 0: the place is the
 * function's own. The chain is looked at from `inner` on. */
static uint32_t instance_of(struct gathering *gathering, size_t inner, size_t link,
                            const struct gathered *record, uint32_t line)
{
    const struct chains *chains = &gathering->chains;
    /* A function that was split may have been inlined in its own beginning. */
    while (link > inner && same_function(&chains->at[link], &chains->at[link - 1]))
        link--;
    struct instance_key key = {.function = record->function,
                               .origin = chains->at[inner].node->origin};
    for (size_t i = link, n = 0; i > inner && n < CALLS_MAX; i--)
        key.calls[n++] = (uint64_t)chains->at[i].line << 32 | chains->at[i].column;
    return link > inner
               ? 1 + instances_add(&gathering->instances, &key, line,
                                   gathering->groups[record->function]->at[record->group].whole)
               : 0;
}

/* Whether what lies between the two was inlined before the notes were made: a call and the text of
 * what is called may be on one line. */
static bool link_has_between(const struct gathering *gathering, size_t inner, size_t link)
{
    const struct chain_link *links = gathering->chains.at;
    const struct line_groups *groups =
        &gathering->objects->at[links[link].function.object].groups[links[link].function.function];
    for (size_t i = inner + 1; i < link; i++)
        if (links[i].known &&
            !line_groups_have(groups, objects_function(gathering->objects, links[i].function)))
            return false;
    return true;
}

/* What of the graph's blocks a record is of. */
static enum group_what what_of(uint8_t kind)
{
    return kind == SIGHTING_BRANCH ? GROUP_BRANCH
           : kind == SIGHTING_CALL ? GROUP_CALL
           : kind >= SIGHTING_MET  ? GROUP_BEGINS
                                   : GROUP_CODE;
}

/* The link of the chain whose function has the line in its notes, from `inner` on; the chain's
 * number of links: none. */
static size_t place_add_from(struct gathering *gathering, size_t inner, const struct gathered *what,
                             const char *file, uint32_t line)
{
    const struct chains *chains = &gathering->chains;
    for (size_t i = chains->n; file && i-- > inner;) {
        const struct chain_link *link = &chains->at[i];
        if (!link->known)
            continue;
        const struct object *object = &gathering->objects->at[link->function.object];
        uint32_t group = line_groups_place(&object->groups[link->function.function], file, line,
                                           what->column, what_of(what->kind));
        if (group == GROUP_NONE || !link_has_between(gathering, inner, i))
            continue;
        struct gathered *record = vec_push(&gathering->records);
        *record = *what;
        record->function =
            gathering->result->first[link->function.object] + link->function.function;
        record->group = group;
        record->instance = instance_of(gathering, inner, i, record, line);
        record->copy = link->node;
        record->own = i + 1 == chains->n;
        return i;
    }
    return chains->n;
}

static struct gathered *place_add(struct gathering *gathering, const struct gathered *what,
                                  const char *file, uint32_t line)
{
    size_t before = gathering->records.n;
    place_add_from(gathering, 0, what, file, line);
    return gathering->records.n > before ? &gathering->records.at[before] : NULL;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Where an inlined body begins, statements before it may be said to begin at the same address: the
 * innermost function of the chain that has the line in its own text. */
static size_t statement_owner(const struct gathering *gathering, const struct statement *statement)
{
    const struct chains *chains = &gathering->chains;
    for (size_t i = 0; i < chains->n; i++) {
        if (!chains->at[i].known)
            continue;
        const struct notes_function *function =
            objects_function(gathering->objects, chains->at[i].function);
        if (statement->line >= function->line && statement->line <= function->end_line &&
            strcmp(file_last_part(function->source), file_last_part(statement->file)) == 0)
            return i;
    }
    return 0;
}

/* Whether it is the first statement of a part of a function that was inlined in the function
 * itself: nobody called that. */
static bool part_begins(const struct gathering *gathering, size_t owner,
                        const struct statement *statement)
{
    const struct chains *chains = &gathering->chains;
    if (owner + 1 >= chains->n || !same_function(&chains->at[owner], &chains->at[owner + 1]))
        return false;
    const struct notes_function *function =
        objects_function(gathering->objects, chains->at[owner].function);
    return statement->line == function->line && statement->column == function->column;
}

/* A statement begins; if it is the first of a function that was inlined after the notes were made,
 * that is a call in the function around it. */
static void statement_add(struct gathering *gathering, const struct gathered *what,
                          const struct statement *statement)
{
    const struct chains *chains = &gathering->chains;
    size_t before = gathering->records.n, owner = statement_owner(gathering, statement);
    if (part_begins(gathering, owner, statement))
        return;
    size_t link = place_add_from(gathering, owner, what, statement->file, statement->line);
    if (link == chains->n)
        return;
    const struct notes_function *function =
        objects_function(gathering->objects, chains->at[link].function);
    if (statement->line != function->line || statement->column != function->column)
        return;
    struct gathered entry = gathering->records.at[before];
    entry.kind = SIGHTING_ENTRY;
    if (link + 1 == chains->n) /* what comes round in a loop is no call */
        entry.count -= least(entry.count, gathering->arrived[what->block]);
    if (!entry.instance)
        *vec_push(&gathering->records) = entry;
    if (link + 1 == chains->n || what->kind != SIGHTING_STATEMENT)
        return;
    const struct chain_link *caller = &chains->at[link + 1];
    struct gathered call = *what;
    call.kind = SIGHTING_CALL;
    call.column = caller->column;
    call.discriminator = caller->discriminator;
    place_add_from(gathering, link + 1, &call, caller->file, caller->line);
}

static void to_add(uint32_t to[WAY_LINES], uint32_t group)
{
    for (int i = 0; i < WAY_LINES && group != GROUP_NONE; i++) {
        if (to[i] == group)
            return;
        if (to[i] == GROUP_NONE) {
            to[i] = group;
            return;
        }
    }
}

/* The block that begins there; the number of blocks: none. */
static size_t block_at(const struct code_blocks *blocks, function_id function, uint64_t at)
{
    size_t low = 0, high = blocks->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->at[middle].function < function ||
            (blocks->at[middle].function == function && blocks->at[middle].start < at))
            low = middle + 1;
        else
            high = middle;
    }
    return low < blocks->n && blocks->at[low].function == function && blocks->at[low].start == at
               ? low
               : blocks->n;
}

/* Whether several ways lead to an address of the function: what follows belongs to neither alone.
 */
static bool is_join(const struct gathering *gathering, function_id function, uint64_t at)
{
    const struct code_blocks *blocks = &gathering->code->blocks;
    size_t i = block_at(blocks, function, at);
    return i < blocks->n && gathering->meets[i];
}

/* The first lines of the code from an address on: statements that begin there, then instructions.
 */
static void lines_from(const struct gathering *gathering, struct gathered *record, int way,
                       uint64_t at)
{
    uint32_t *to = record->to[way];
    const struct statements *statements = &gathering->statements;
    const struct line_groups *groups = gathering->groups[record->function];
    struct instruction instruction;
    for (int i = 0; i < WAY_LINES; i++)
        to[i] = GROUP_NONE;
    function_id function = gathering->code->blocks.at[record->block].function;
    for (int steps = 0; steps < 6; steps++) {
        struct svma here = {at};
        struct line_place place;
        if (steps && to[0] != GROUP_NONE && is_join(gathering, function, at))
            return;
        for (size_t i = statements_from(statements, at);
             i < statements->n && statements->at[i].at == at; i++)
            to_add(to, line_groups_place(groups, statements->at[i].file, statements->at[i].line,
                                         statements->at[i].column, GROUP_BEGINS));
        if (lines_at(gathering->code->binary->lines, here, &place) && place.file) {
            if (!steps)
                record->to_discriminator[way] = place.discriminator;
            to_add(to, line_groups_place(groups, place.file, place.line, place.column, GROUP_CODE));
        }
        if (!disasm_at(&gathering->code->binary->image, here, &instruction) ||
            instruction_ends_block(&instruction))
            return;
        at = instruction_next(&instruction).v;
    }
}

/* How long the code of a way is up to where others join it, or it jumps. */
static uint32_t bytes_from(const struct gathering *gathering, function_id function, uint64_t at)
{
    struct instruction instruction;
    uint64_t first = at;
    for (int steps = 0; steps < 16 && !is_join(gathering, function, at); steps++) {
        if (!disasm_at(&gathering->code->binary->image, (struct svma){at}, &instruction) ||
            instruction_ends_block(&instruction))
            break;
        at = instruction_next(&instruction).v;
    }
    return (uint32_t)(at - first);
}

/* Both ways of a branch; if one of them leaves the function, it has what the other leaves over. */
static void branch_ways(struct gathering *gathering, struct gathered *record,
                        const struct instruction *branch, function_id function)
{
    const struct code_edges *edges = &gathering->code->edges;
    uint64_t targets[2] = {branch->target.v, instruction_next(branch).v}, counts[2] = {0};
    size_t low = 0, high = edges->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct code_edge *edge = &edges->at[middle];
        if (edge->function < function || (edge->function == function && edge->from < branch->at.v))
            low = middle + 1;
        else
            high = middle;
    }
    bool found[2] = {false, false};
    for (; low < edges->n && edges->at[low].from == branch->at.v; low++)
        for (int way = 0; way < 2; way++)
            if (edges->at[low].to == targets[way] && !found[way] &&
                edges->at[low].kind == (way ? CFG_FALL : CFG_TAKEN)) {
                counts[way] = edges->at[low].count;
                found[way] = true;
            }
    for (int way = 0; way < 2; way++)
        if (!found[way] && record->count > counts[!way])
            counts[way] = record->count - counts[!way];
    for (int way = 0; way < 2; way++) {
        record->ways[way] = counts[way];
        lines_from(gathering, record, way, targets[way]);
        record->next[way] = (uint32_t)block_at(&gathering->code->blocks, function, targets[way]);
        record->bytes[way] = bytes_from(gathering, function, targets[way]);
    }
}

/* How many turns of a loop of the source one of the code is: of a block that leads to itself, and
 * has vector arithmetic. */
static unsigned turns_of(const struct gathering *gathering, const struct code_block *block)
{
    const struct image *image = &gathering->code->binary->image;
    struct svma at = {block->start};
    struct instruction instruction;
    unsigned most = 1;
    while (at.v <= block->last && disasm_at(image, at, &instruction)) {
        size_t room;
        const uint8_t *bytes = image_bytes(image, at, &room);
        unsigned lanes = bytes ? vector_lanes(bytes, instruction.bytes) : 1;
        most = lanes > most ? lanes : most;
        if (at.v == block->last &&
            (instruction.kind != INSTRUCTION_COND || instruction.target.v != block->start))
            return 1;
        at = instruction_next(&instruction);
    }
    return most;
}

static void indirect_add(struct gathering *gathering, const struct gathered *record, uint64_t from)
{
    const struct line_groups *groups = gathering->groups[record->function];
    *vec_push(&gathering->indirect) =
        (struct indirect_call){.function = record->function,
                               .block = groups->blocks.at[groups->at[record->group].first],
                               .instance = record->instance,
                               .column = record->column,
                               .from = from};
}

/* Of every function that it is in: which of them has it in its graph depends on when it was
 * inlined. */
static void division_gather(struct gathering *gathering, const struct instruction *instruction)
{
    size_t room;
    const uint8_t *bytes = image_bytes(&gathering->code->binary->image, instruction->at, &room);
    if (!bytes || !divides_unsigned(bytes, instruction->bytes))
        return;
    for (size_t i = 0; i < gathering->chains.n; i++) {
        const struct chain_link *link = &gathering->chains.at[i];
        if (link->known &&
            !value_counters_know(gathering->values, gathering->objects, link->function))
            *vec_push(&gathering->indirect.dividing) =
                gathering->result->first[link->function.object] + link->function.function;
    }
}

/* What is left of a function whose beginning was inlined elsewhere, or of its rare code, is not
 * entered as often as the function. */
static bool is_part(const char *name)
{
    return name && (strstr(name, ".part.") || strstr(name, ".cold"));
}

/* A function on one line: its blocks have the same line, so none of its code says more than another
 * how often it was entered, and the line's first statement begins at its brace. The chain is that
 * of the block's first instruction. */
static void entry_gather(struct gathering *gathering, uint32_t index)
{
    const struct code_block *block = &gathering->code->blocks.at[index];
    const struct function *code = &gathering->code->binary->symbols.functions.at[block->function];
    const struct chains *chains = &gathering->chains;
    if (!chains->n || !chains->at[chains->n - 1].known || code->start.v != block->start ||
        is_part(code->name))
        return;
    size_t own = chains->n - 1;
    const struct notes_function *function =
        objects_function(gathering->objects, chains->at[own].function);
    if (function->line != function->end_line)
        return;
    const struct statements *statements = &gathering->statements;
    for (size_t i = statements_from(statements, block->start);
         i < statements->n && statements->at[i].at == block->start; i++)
        if (statements->at[i].line == function->line &&
            statements->at[i].column == function->column)
            return; /* statement_add does */
    struct gathered entry = {.block = index,
                             .count = block->count - least(block->count, gathering->arrived[index]),
                             .column = function->column,
                             .kind = SIGHTING_ENTERED};
    place_add_from(gathering, own, &entry, function->source, function->line);
}

static void block_gather(struct gathering *gathering, uint32_t index)
{
    const struct code_block *block = &gathering->code->blocks.at[index];
    const struct statements *statements = &gathering->statements;
    unsigned turns = turns_of(gathering, block);
    struct svma at = {block->start};
    struct instruction instruction;
    chains_find(&gathering->chains, at);
    entry_gather(gathering, index);
    while (at.v <= block->last && disasm_at(&gathering->code->binary->image, at, &instruction)) {
        struct chains *chains = &gathering->chains;
        chains_find(chains, at);
        division_gather(gathering, &instruction);
        called_copies_see(gathering);
        value_counters_see(gathering->values, chains, gathering->result->first,
                           &gathering->code->binary->image, &instruction, block->count);
        bool known = false;
        for (size_t i = 0; i < chains->n; i++)
            known |= chains->at[i].known;
        gathering->result->executed += block->count;
        gathering->result->explained += known ? block->count : 0;
        if (block->count)
            first_runs_see(&gathering->result->runs, chains, gathering->result->first);
        struct gathered record = {.block = index, .count = turns * block->count};
        if (chains->n) {
            record.kind =
                instruction.kind == INSTRUCTION_COND ? SIGHTING_BRANCH
                : instruction.kind == INSTRUCTION_CALL || instruction.kind == INSTRUCTION_ICALL
                    ? SIGHTING_CALL
                    : SIGHTING_CODE;
            record.column = chains->at[0].column;
            record.discriminator = chains->at[0].discriminator;
            struct gathered *added =
                place_add(gathering, &record, chains->at[0].file, chains->at[0].line);
            if (added && instruction.kind == INSTRUCTION_ICALL)
                indirect_add(gathering, added, at.v);
            if (added && added->kind == SIGHTING_BRANCH)
                branch_ways(gathering, added, &instruction, block->function);
            if (added && added->kind == SIGHTING_BRANCH && turns > 1)
                added->ways[0] = added->count > added->ways[1] ? added->count - added->ways[1] : 0;
        }
        for (size_t i = statements_from(statements, at.v);
             i < statements->n && statements->at[i].at == at.v; i++) {
            const struct statement *statement = &statements->at[i];
            bool last = i + 1 == statements->n || statements->at[i + 1].at != at.v;
            record.kind = at.v == block->start && gathering->meets[index] && !last
                              ? SIGHTING_MET
                              : SIGHTING_STATEMENT;
            record.column = statement->column;
            record.discriminator = statement->discriminator;
            statement_add(gathering, &record, statement);
        }
        at = instruction_next(&instruction);
    }
}

/* How often indirect jumps of the same function arrived at each beginning of a block: labels whose
 * address was taken, which have an arc from the entry in the notes. */
static void arrivals_gather(struct gathering *gathering, uint32_t index, uint64_t count)
{
    const struct code_block *block = &gathering->code->blocks.at[index];
    const struct statements *statements = &gathering->statements;
    struct gathered record = {.block = index, .count = count, .kind = SIGHTING_ARRIVAL};
    chains_find(&gathering->chains, (struct svma){block->start});
    struct gathered *added = NULL;
    size_t i = statements_from(statements, block->start);
    for (; i < statements->n && statements->at[i].at == block->start; i++)
        if (!added)
            added = place_add(gathering, &record, statements->at[i].file, statements->at[i].line);
    if (!added && gathering->chains.n)
        added = place_add(gathering, &record, gathering->chains.at[0].file,
                          gathering->chains.at[0].line);
    if (added)
        lines_from(gathering, added, 0, block->start);
}

static void meets_find(struct gathering *gathering)
{
    const struct code_blocks *blocks = &gathering->code->blocks;
    const struct code_edges *edges = &gathering->code->edges;
    bool *reached = mem_alloc(blocks->n + 1);
    gathering->meets = mem_alloc(blocks->n + 1);
    gathering->arrived = mem_alloc((blocks->n + 1) * sizeof *gathering->arrived);
    for (size_t e = 0; e < edges->n; e++) {
        size_t to = block_at(blocks, edges->at[e].function, edges->at[e].to);
        gathering->meets[to] |= reached[to];
        reached[to] = true;
        gathering->arrived[to] += edges->at[e].count;
    }
    mem_free(reached);
}

static void edges_gather(struct gathering *gathering)
{
    const struct code_blocks *blocks = &gathering->code->blocks;
    const struct code_edges *edges = &gathering->code->edges;
    uint64_t *arrived = mem_alloc((blocks->n + 1) * sizeof *arrived);
    bool *target = mem_alloc(blocks->n + 1);
    for (size_t e = 0; e < edges->n; e++) {
        const struct code_edge *edge = &edges->at[e];
        if (edge->kind != CFG_INDIRECT && edge->kind != CFG_CASE)
            continue;
        size_t to = block_at(blocks, edge->function, edge->to);
        arrived[to] += edge->count;
        target[to] = true;
    }
    for (uint32_t i = 0; i < blocks->n; i++)
        if (target[i])
            arrivals_gather(gathering, i, arrived[i]);
    mem_free(arrived);
    mem_free(target);
}

/* ---- all */

bool sightings_gather(struct sightings_of *sightings, const struct objects *objects,
                      const struct code_counts *code, struct err *err)
{
    struct sightings_of result = {.first = mem_alloc((objects->n + 1) * sizeof *result.first)};
    for (size_t i = 0; i < objects->n; i++) {
        result.first[i] = (uint32_t)result.n_functions;
        result.n_functions += objects->at[i].notes.functions.n;
    }
    result.functions = mem_alloc((result.n_functions + 1) * sizeof *result.functions);
    result.seen = mem_alloc(objects->n + 1);
    struct gathering gathering = {
        .result = &result,
        .objects = objects,
        .code = code,
        .values = &result.values,
        .groups = mem_alloc((result.n_functions + 1) * sizeof *gathering.groups)};
    for (size_t o = 0; o < objects->n; o++)
        for (size_t f = 0; f < objects->at[o].notes.functions.n; f++)
            gathering.groups[result.first[o] + f] = &objects->at[o].groups[f];
    value_counters_open(&result.values, code);
    binary_lines(code->binary);
    binary_inlines(code->binary);
    statements_read(&gathering.statements, code->binary);
    instances_open(&gathering.instances);
    called_copies_open(&gathering.copies);
    chains_open(&gathering.chains, objects, code->binary);
    const struct code_blocks *blocks = &code->blocks;
    const struct functions *functions = &code->binary->symbols.functions;
    for (size_t i = 0; i < functions->n; i++)
        chains_vote(&gathering.chains, functions->at[i].start);
    chains_count_votes(&gathering.chains);
    meets_find(&gathering);
    for (uint32_t i = 0; i < blocks->n; i++)
        block_gather(&gathering, i);
    edges_gather(&gathering);
    targets_find(&result.targets, &gathering.indirect, code, &gathering.chains, objects);
    value_counters_sort(&result.values);
    first_runs_find(&result.runs, code, &gathering.chains, result.first, result.n_functions);
    vec_release(&gathering.indirect.dividing);
    vec_release(&gathering.indirect);
    called_copies_deal(&gathering);
    instances_count(&gathering.instances);
    records_sum(&gathering);
    for (size_t i = 0; i < code->binary->inlines->units.n; i++)
        if (gathering.chains.object_of[i] != OBJECT_NONE)
            result.seen[gathering.chains.object_of[i]] = true;
    chains_close(&gathering.chains);
    instances_close(&gathering.instances);
    called_copies_close(&gathering.copies);
    mem_free(gathering.groups);
    mem_free(gathering.meets);
    mem_free(gathering.arrived);
    vec_release(&gathering.statements);
    vec_release(&gathering.records);
    if (!result.explained) {
        const char *missing = code->binary->debug ? debug_info_missing(code->binary->debug) : NULL;
        sightings_release(&result);
        if (missing)
            return err_set(err, ERR_MISSING, "%s: %s", code->binary->image.path, missing);
        return err_set(err, ERR_MISSING, "%s: no line of it belongs to the notes of gcc",
                       code->binary->image.path);
    }
    *sightings = result;
    return true;
}

void sightings_release(struct sightings_of *sightings)
{
    for (size_t i = 0; i < sightings->n_functions; i++)
        vec_release(&sightings->functions[i]);
    mem_free(sightings->functions);
    vec_release(&sightings->targets);
    value_counters_close(&sightings->values);
    first_runs_release(&sightings->runs);
    mem_free(sightings->first);
    mem_free(sightings->seen);
}

#include "carry/places.h"

#include "carry/align.h"

void carry_places_open(struct carry_places *places, const struct scene *scene, uint32_t module,
                       const struct binary *binary)
{
    const struct symbols *symbols = &scene->modules.at[module].binary->symbols;
    *places = (struct carry_places){.scene = scene, .module = module, .binary = binary};
    places->known = mem_alloc(symbols->functions.n + 1);
    map_init(&places->keys, sizeof(uint64_t));
    map_init(&places->behind, sizeof(uint64_t));
    carry_functions_match(&places->functions, scene->modules.at[module].binary, binary);
}

void carry_places_close(struct carry_places *places)
{
    mem_free(places->known);
    map_release(&places->keys);
    map_release(&places->behind);
    vec_release(&places->targets);
    carry_functions_release(&places->functions);
}

function_id carry_places_function(const struct carry_places *places, function_id function)
{
    return function == FUNCTION_NONE ? FUNCTION_NONE : places->functions.new_of[function];
}

/* The first to come keeps an address: bytes may belong to two instructions. */
static void place_set(struct carry_places *places, uint64_t old, uint64_t new)
{
    if (map_add(&places->keys, &old) == places->targets.n)
        *vec_push(&places->targets) = new;
}

static bool is_call(const struct instruction *instruction)
{
    return instruction->kind == INSTRUCTION_CALL || instruction->kind == INSTRUCTION_ICALL;
}

/* What is called at the same place of both builds is the same function, if nothing else says what
 * it is. */
static void callees_join(struct carry_places *places, const struct carry_pair *pair,
                         const struct instruction *old, const struct instruction *new)
{
    function_id from = symbols_find(pair->old.symbols, old->target),
                to = symbols_find(pair->new.symbols, new->target);
    if (old->kind == INSTRUCTION_CALL && new->kind == INSTRUCTION_CALL &&
        from != FUNCTION_NONE &&to != FUNCTION_NONE)
        carry_functions_join(&places->functions, from, to);
}

struct calls {
    VEC(const struct instruction *);
};

/* Calls of a block whose names are in one build only: functions that were renamed, if they are as
 * many as their like in the other. */
static void renamed_join(struct carry_places *places, const struct carry_pair *pair, block_id b,
                         const uint32_t *partners)
{
    const struct cfg_block *old = &pair->counted->cfg.blocks.at[b],
                           *new = &pair->new_cfg.blocks.at[pair->blocks.new_of[b]];
    struct calls olds = {0}, news = {0};
    bool *used = mem_alloc(new->instructions + 1);
    for (uint32_t i = 0; i < old->instructions; i++) {
        const struct instruction *at = &pair->counted->cfg.instructions.at[old->first + i];
        if (partners[i] != INSTRUCTION_NONE)
            used[partners[i] - new->first] = true;
        else if (at->kind == INSTRUCTION_CALL)
            *vec_push(&olds) = at;
    }
    for (uint32_t i = 0; i < new->instructions; i++) {
        const struct instruction *at = &pair->new_cfg.instructions.at[new->first + i];
        if (!used[i] && at->kind == INSTRUCTION_CALL)
            *vec_push(&news) = at;
    }
    for (size_t i = 0; i < olds.n && olds.n == news.n; i++)
        callees_join(places, pair, olds.at[i], news.at[i]);
    mem_free(used);
    vec_release(&olds);
    vec_release(&news);
}

static void block_note(struct carry_places *places, const struct carry_pair *pair, block_id b,
                       uint32_t *partners)
{
    const struct cfg_block *block = &pair->counted->cfg.blocks.at[b];
    carry_align(partners, &pair->old, b, &pair->new, pair->blocks.new_of[b]);
    renamed_join(places, pair, b, partners);
    for (uint32_t i = 0; i < block->instructions; i++) {
        const struct instruction *old = &pair->counted->cfg.instructions.at[block->first + i], *new;
        if (partners[i] == INSTRUCTION_NONE)
            continue;
        new = &pair->new_cfg.instructions.at[partners[i]];
        place_set(places, old->at.v, new->at.v);
        if (!is_call(old) || !is_call(new))
            continue;
        place_set(places, instruction_next(old).v - 1, instruction_next(new).v - 1);
        callees_join(places, pair, old, new);
    }
}

void carry_places_add(struct carry_places *places, function_id function,
                      const struct carry_pair *pair)
{
    const struct cfg *cfg = &pair->counted->cfg;
    uint32_t *partners = mem_alloc(cfg->instructions.n * sizeof *partners + 1);
    places->known[function] = true;
    for (block_id b = 0; b < cfg->blocks.n; b++)
        if (pair->blocks.new_of[b] != BLOCK_NONE)
            block_note(places, pair, b, partners);
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        uint64_t next = instruction_next(&cfg->instructions.at[i]).v;
        if (is_call(&cfg->instructions.at[i]))
            map_add(&places->behind, &next);
    }
    mem_free(partners);
}

bool carry_places_find(struct carry_places *places, uint64_t at, uint64_t *ret_at)
{
    function_id old = scene_function_at(places->scene, places->module, at);
    function_id new = carry_places_function(places, old);
    if (new == FUNCTION_NONE)
        return false;
    if (!places->known[old]) {
        struct scene_function function = {.module = places->module, .function = old};
        struct counted_function counted;
        struct carry_pair pair;
        counted_function_build(&counted, places->scene, function);
        carry_pair_open(&pair, places->scene, &counted, places->binary, new);
        carry_places_add(places, old, &pair);
        carry_pair_close(&pair);
        counted_function_release(&counted);
    }
    uint32_t index = map_find(&places->keys, &at);
    if (index == MAP_NONE)
        return false;
    *ret_at = places->targets.at[index];
    return true;
}

bool carry_places_behind(const struct carry_places *places, uint64_t at)
{
    return map_find(&places->behind, &at) != MAP_NONE;
}

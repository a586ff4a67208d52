#include "program/cfg/loops.h"

#include "base/memory.h"
#include "program/cfg/arcs.h"

/* Havlak's algorithm. Nodes are numbered in the order in which a walk from the entry meets them;
 * from the last to the first each is taken for a head, and whatever reaches one of its back edges
 * without passing it is its body. A body becomes one node with its head, so that loops around it
 * see it whole. */

struct finder {
    struct arcs before;  /* predecessors */
    block_id *block;     /* by number */
    uint32_t *number;    /* from 1 on; 0: not reached */
    uint32_t *last;      /* by number: the last one below it in the walk's tree */
    uint32_t *united;    /* by number: the head of the body it went into, or itself */
    uint32_t *head;      /* by number: of the innermost loop around it; 0: none */
    uint8_t *kind;       /* by number: of the loop it heads */
    struct extra *extra; /* further ways into a body, by number */
    uint32_t *mark;      /* by number: the head whose body it is in */
    uint32_t n;
};
enum { KIND_NONE, KIND_NATURAL, KIND_IRREDUCIBLE };

struct extra {
    VEC(uint32_t);
};

static void walk(struct finder *finder, const struct arcs *arcs, block_id root)
{
    struct {
        block_id node;
        uint32_t next;
    } *stack = mem_alloc((arcs->n + 1) * sizeof *stack);
    size_t depth = 0;
    stack[depth].node = root;
    stack[depth++].next = arcs->first[root];
    finder->number[root] = ++finder->n;
    finder->block[finder->n] = root;
    while (depth) {
        block_id node = stack[depth - 1].node;
        if (stack[depth - 1].next == arcs->first[node + 1]) {
            finder->last[finder->number[node]] = finder->n;
            depth--;
            continue;
        }
        block_id to = arcs->to[stack[depth - 1].next++];
        if (finder->number[to])
            continue;
        finder->number[to] = ++finder->n;
        finder->block[finder->n] = to;
        stack[depth].node = to;
        stack[depth++].next = arcs->first[to];
    }
    mem_free(stack);
}

static bool is_above(const struct finder *finder, uint32_t above, uint32_t below)
{
    return above <= below && below <= finder->last[above];
}

static uint32_t united(struct finder *finder, uint32_t number)
{
    uint32_t root = number;
    while (finder->united[root] != root)
        root = finder->united[root];
    while (finder->united[number] != root) {
        uint32_t next = finder->united[number];
        finder->united[number] = root;
        number = next;
    }
    return root;
}

struct body {
    VEC(uint32_t);
};

static void body_add(struct finder *finder, struct body *body, uint32_t head, uint32_t number)
{
    if (number == head || finder->mark[number] == head)
        return;
    finder->mark[number] = head;
    *vec_push(body) = number;
}

/* A way into something of the body: more of the body, or an entry beside the head. */
static void body_enter(struct finder *finder, struct body *body, uint32_t head, uint32_t from)
{
    if (is_above(finder, head, from)) {
        body_add(finder, body, head, from);
        return;
    }
    finder->kind[head] = KIND_IRREDUCIBLE;
    *vec_push(&finder->extra[head]) = from;
}

static void head_try(struct finder *finder, struct body *body, uint32_t head)
{
    body->n = 0;
    block_id block = finder->block[head];
    const struct arcs *before = &finder->before;
    for (uint32_t a = before->first[block]; a < before->first[block + 1]; a++) {
        uint32_t from = finder->number[before->to[a]];
        if (!from || !is_above(finder, head, from))
            continue;
        finder->kind[head] = KIND_NATURAL;
        body_add(finder, body, head, united(finder, from));
    }
    for (size_t i = 0; i < body->n; i++) {
        uint32_t node = body->at[i];
        block = finder->block[node];
        for (uint32_t a = before->first[block]; a < before->first[block + 1]; a++) {
            uint32_t from = finder->number[before->to[a]];
            if (from && !is_above(finder, node, from))
                body_enter(finder, body, head, united(finder, from));
        }
        for (size_t e = 0; e < finder->extra[node].n; e++)
            body_enter(finder, body, head, united(finder, finder->extra[node].at[e]));
    }
    for (size_t i = 0; i < body->n; i++) {
        finder->head[body->at[i]] = head;
        finder->united[body->at[i]] = head;
    }
}

static void finder_init(struct finder *finder, const struct arcs *ahead)
{
    size_t n = (size_t)ahead->n + 1;
    *finder = (struct finder){.block = mem_alloc(n * sizeof *finder->block),
                              .number = mem_alloc(n * sizeof *finder->number),
                              .last = mem_alloc(n * sizeof *finder->last),
                              .united = mem_alloc(n * sizeof *finder->united),
                              .head = mem_alloc(n * sizeof *finder->head),
                              .kind = mem_alloc(n),
                              .extra = mem_alloc(n * sizeof *finder->extra),
                              .mark = mem_alloc(n * sizeof *finder->mark)};
    arcs_turn(&finder->before, ahead);
    for (uint32_t i = 0; i < n; i++)
        finder->united[i] = i;
}

static void finder_release(struct finder *finder)
{
    for (uint32_t i = 0; i <= finder->before.n; i++)
        vec_release(&finder->extra[i]);
    arcs_release(&finder->before);
    mem_free(finder->block);
    mem_free(finder->number);
    mem_free(finder->last);
    mem_free(finder->united);
    mem_free(finder->head);
    mem_free(finder->kind);
    mem_free(finder->extra);
    mem_free(finder->mark);
}

static void loops_list(struct loops *loops, const struct finder *finder, const struct cfg *cfg)
{
    uint32_t n = (uint32_t)cfg->blocks.n;
    loop_id *headed = mem_alloc((n + 1) * sizeof *headed); /* by block: loop + 1 */
    for (block_id b = 0; b < n; b++)
        if (finder->number[b] && finder->kind[finder->number[b]] != KIND_NONE) {
            *vec_push(loops) =
                (struct loop){.head = b,
                              .parent = LOOP_NONE,
                              .irreducible = finder->kind[finder->number[b]] == KIND_IRREDUCIBLE};
            headed[b] = (loop_id)loops->n;
        }
    for (block_id b = 0; b < n; b++) {
        uint32_t head = finder->head[finder->number[b]];
        loop_id around = finder->number[b] && head ? headed[finder->block[head]] - 1 : LOOP_NONE;
        if (headed[b])
            loops->at[headed[b] - 1].parent = around;
        loops->of_block[b] = headed[b] ? headed[b] - 1 : around;
    }
    mem_free(headed);
    for (size_t i = 0; i < loops->n; i++)
        for (loop_id at = (loop_id)i; at != LOOP_NONE; at = loops->at[at].parent)
            loops->at[i].depth++;
    for (block_id b = 0; b < n; b++)
        for (loop_id at = loops->of_block[b]; at != LOOP_NONE; at = loops->at[at].parent)
            loops->at[at].blocks++;
}

void loops_find(struct loops *loops, const struct cfg *cfg)
{
    *loops = (struct loops){.of_block = mem_alloc((cfg->blocks.n + 1) * sizeof *loops->of_block)};
    block_id entry = arcs_entry(cfg);
    for (size_t b = 0; b < cfg->blocks.n; b++)
        loops->of_block[b] = LOOP_NONE;
    if (entry == BLOCK_NONE)
        return;
    struct arcs ahead;
    struct finder finder;
    struct body body = {0};
    arcs_forward(&ahead, cfg);
    finder_init(&finder, &ahead);
    walk(&finder, &ahead, entry);
    for (uint32_t head = finder.n; head > 0; head--)
        head_try(&finder, &body, head);
    loops_list(loops, &finder, cfg);
    vec_release(&body);
    finder_release(&finder);
    arcs_release(&ahead);
}

void loops_release(struct loops *loops)
{
    mem_free(loops->of_block);
    loops->of_block = NULL;
    vec_release(loops);
}

bool loops_hold(const struct loops *loops, loop_id loop, block_id block)
{
    loop_id at = loops->of_block[block];
    while (at != LOOP_NONE && at != loop)
        at = loops->at[at].parent;
    return at == loop && loop != LOOP_NONE;
}

#include "model/replay/replay.h"

#include "base/err.h"

enum {
    STACK_TOP = 0x7000000, /* of the stack that is followed; below the first module */
    LINE_BYTES = 64,
    HITS_AT = 0x10000, /* lines that loads hit which nobody recorded, */
    HITS_LINES = 64,
    STORES_AT = 0x20000, /* and other ones, that are stored to */
    GAP_CYCLES = 100,    /* more than anything takes that is under way without a miss */
};

void replay_init(struct replay *replay, struct core_code *code)
{
    *replay = (struct replay){.code = code, .core = core_make(code->model), .stack = STACK_TOP};
    replay->frame = STACK_TOP;
}

void replay_release(struct replay *replay)
{
    core_free(replay->core);
}

void replay_listen(struct replay *replay, struct replay_listener *listener)
{
    ASSERT(replay->n_listeners < REPLAY_LISTENERS);
    replay->listeners[replay->n_listeners++] = listener;
}

/* ---- addresses */

static uint64_t address_guess(const struct replay *replay, const struct code_insn *insn)
{
    switch ((enum code_operand)insn->kind) {
    case OPERAND_NONE: return 0;
    case OPERAND_FIXED: return (uint64_t)insn->operand;
    case OPERAND_STACK: return replay->stack + (uint64_t)insn->operand;
    case OPERAND_FRAME: return replay->frame + (uint64_t)insn->operand;
    case OPERAND_ELSEWHERE: break;
    }
    uint64_t line = insn->id % HITS_LINES * LINE_BYTES;
    if (insn->core.flags &
        INSN_STORE) /* another one each time: nothing is stored where it was loaded from */
        line = (insn->id + replay->instructions) % HITS_LINES * LINE_BYTES;
    return insn->core.flags & INSN_STORE ? STORES_AT + line : HITS_AT + line;
}

static void stack_follow(struct replay *replay, const struct code_insn *insn)
{
    switch ((enum code_stack)insn->stack) {
    case STACK_STAYS: break;
    case STACK_MOVES: replay->stack += (uint64_t)(int64_t)insn->moves; break;
    case STACK_TO_FRAME: replay->frame = replay->stack; break;
    case STACK_FROM_FRAME: replay->stack = replay->frame; break;
    case STACK_LEAVES: replay->stack = replay->frame + 8; break;
    }
}

/* Whatever went astray far from where it can have been begins anew. */
static void stack_check(struct replay *replay)
{
    const uint64_t most = 8 << 20;
    if (replay->stack - (STACK_TOP - most) > 2 * most)
        replay->stack = replay->frame = STACK_TOP;
}

/* ---- steps */

static void tell(struct replay *replay, const struct replay_step *step)
{
    for (uint32_t i = 0; i < replay->n_listeners; i++)
        replay->listeners[i]->step(replay->listeners[i], step);
}

/* Where control would have gone by what was guessed. */
static uint64_t wrong_begin(const struct code_insn *insn, const struct core_fact *fact,
                            const struct core_times *times)
{
    if (insn->core.kind == INSN_COND)
        return fact->taken ? insn->at + insn->core.length : insn->target;
    return times->guess.v;
}

/* Branches on it are taken to fall through; where they lead that have to, and whose target is not
 * in them, is not known. */
static uint64_t wrong_next(const struct code_insn *insn)
{
    switch ((enum insn_kind)insn->core.kind) {
    case INSN_PLAIN:
    case INSN_COND: return insn->at + insn->core.length;
    case INSN_JUMP:
    case INSN_CALL: return insn->target;
    default: return 0;
    }
}

static void wrong_way(struct replay *replay, uint64_t at)
{
    while (at) {
        uint32_t index = code_one(replay->code, at);
        if (index == REPLAY_NONE)
            return;
        const struct code_insn *insn = &replay->code->insns.at[index];
        uint64_t next = wrong_next(insn);
        struct core_fact fact = {.at = {at},
                                 .next = {next ? next : at + insn->core.length},
                                 .address = {address_guess(replay, insn)},
                                 .taken = next && next != at + insn->core.length};
        struct core_times times = {0};
        if (!core_wrong(replay->core, &insn->core, &fact, &times))
            return;
        struct replay_step step = {.insn = insn,
                                   .fact = &fact,
                                   .times = &times,
                                   .aborted = true,
                                   .warming = replay->warming > 0};
        tell(replay, &step);
        at = next;
    }
}

static void insn_step(struct replay *replay, uint32_t index, uint64_t next,
                      const struct replay_data *data)
{
    const struct code_insn *insn = &replay->code->insns.at[index];
    struct core_fact fact = {.at = {insn->at}, .next = {next}};
    struct core_times times;
    uint64_t behind = insn->at + insn->core.length;
    bool addressed = data && data->address;
    if (!next)
        fact.next.v = behind;
    fact.taken = fact.next.v != behind;
    if (insn->stack == STACK_MOVES && insn->moves < 0 && insn->kind == OPERAND_STACK)
        fact.address.v = replay->stack + (uint64_t)(int64_t)insn->moves;
    else if (insn->kind)
        fact.address.v = address_guess(replay, insn);
    if (addressed)
        fact.address.v = data->address;
    if (data)
        fact.value_bits = data->value_bits;
    core_step(replay->core, &insn->core, &fact, &times);
    stack_follow(replay, insn);
    replay->instructions++;
    replay->cycles = times.retire;
    struct replay_step step = {.insn = insn,
                               .fact = &fact,
                               .times = &times,
                               .warming = replay->warming > 0,
                               .addressed = addressed};
    tell(replay, &step);
    replay->warming -= replay->warming > 0;
    if (times.events & CORE_MISPREDICT && replay->wrong_ways)
        wrong_way(replay, wrong_begin(insn, &fact, &times));
}

void replay_run(struct replay *replay, uint32_t first, uint32_t n, uint64_t next,
                const struct replay_data *data)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t to = i + 1 < n ? replay->code->insns.at[first + i + 1].at : next;
        insn_step(replay, first + i, to, data ? &data[i] : NULL);
    }
    stack_check(replay);
}

void replay_gap(struct replay *replay, uint64_t warming)
{
    core_gap(replay->core, GAP_CYCLES);
    replay->warming = warming;
    for (uint32_t i = 0; i < replay->n_listeners; i++)
        if (replay->listeners[i]->gap)
            replay->listeners[i]->gap(replay->listeners[i]);
}

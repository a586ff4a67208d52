/* Random walks through real code, written down twice: as records of a profile, the way an engine
 * would make them, and as a plain count of every step, which is the truth they must give back. */
#pragma once

#include "base/err.h"
#include "profile/profile.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include <stdlib.h>

struct strolls {
    struct profile profile;
    struct binary binary;
    uint32_t module, outside;
    uint64_t seed;
    struct map steps; /* {from, to}: to is 0 for "ran" */
    struct stroll_counts {
        VEC(uint64_t);
    } counts;
};

static inline uint64_t stroll_random(struct strolls *strolls)
{
    strolls->seed ^= strolls->seed << 13;
    strolls->seed ^= strolls->seed >> 7;
    strolls->seed ^= strolls->seed << 17;
    return strolls->seed >> 8;
}

static inline void strolls_begin(struct strolls *strolls, const char *path, uint64_t seed)
{
    struct err err;
    *strolls = (struct strolls){.seed = seed};
    profile_init(&strolls->profile);
    strolls->profile.mode = PROFILE_EXACT;
    strolls->profile.complete = true;
    strolls->profile.command = arena_string(&strolls->profile.arena, "stroll");
    if (!binary_open(&strolls->binary, path, &err))
        abort();
    strolls->outside = profile_module(&strolls->profile, "/nowhere/else", NULL, 0);
    strolls->module = profile_module(&strolls->profile, path, strolls->binary.image.build_id,
                                     strolls->binary.image.build_id_bytes);
    map_init(&strolls->steps, 2 * sizeof(uint64_t));
}

static inline void strolls_end(struct strolls *strolls)
{
    profile_release(&strolls->profile);
    binary_close(&strolls->binary);
    map_release(&strolls->steps);
    vec_release(&strolls->counts);
}

static inline void stroll_step(struct strolls *strolls, uint64_t from, uint64_t to)
{
    uint64_t key[2] = {from, to};
    uint32_t i = map_add(&strolls->steps, key);
    if (i == strolls->counts.n)
        *vec_push(&strolls->counts) = 0;
    strolls->counts.at[i]++;
}

/* How often an instruction ran (to 0), or was followed by another inside of its function. */
static inline uint64_t strolls_truth(const struct strolls *strolls, uint64_t from, uint64_t to)
{
    uint64_t key[2] = {from, to};
    uint32_t i = map_find(&strolls->steps, key);
    return i == MAP_NONE ? 0 : strolls->counts.at[i];
}

static inline void stroll_range(struct strolls *strolls, uint64_t start, uint64_t last, uint32_t n)
{
    struct range_key key = {strolls->module, n, {start}, {last}};
    table_at(&strolls->profile.ranges, &key)->count++;
    strolls->profile.totals.instructions += n;
}

static inline void stroll_edge(struct strolls *strolls, uint64_t from, uint64_t to,
                               enum edge_kind kind)
{
    struct edge_key key = {strolls->module, strolls->module, {from}, {to}, kind};
    if (kind == EDGE_RETURN) {
        key.from_module = MODULE_NONE;
        key.from = (struct svma){0};
    }
    table_at(&strolls->profile.edges, &key)->count++;
}

struct stroll {
    uint64_t pc, start; /* of the run that is open */
    uint32_t n;         /* instructions in it */
};

/* Takes one step; false: the walk has left the function. */
static inline bool stroll_on(struct strolls *strolls, struct stroll *stroll, const struct cfg *cfg)
{
    struct instruction now;
    if (!disasm_at(&strolls->binary.image, (struct svma){stroll->pc}, &now))
        return false;
    uint64_t pc = stroll->pc, next = instruction_next(&now).v, to = next;
    bool cut = now.kind != INSTRUCTION_PLAIN;
    enum edge_kind kind = EDGE_SPLIT;
    stroll_step(strolls, pc, 0);
    stroll->n++;
    switch ((enum instruction_kind)now.kind) {
    case INSTRUCTION_PLAIN: cut = stroll_random(strolls) % 16 == 0; break;
    case INSTRUCTION_SYSCALL: kind = EDGE_SYSCALL; break;
    case INSTRUCTION_COND:
        kind = stroll_random(strolls) % 2 ? EDGE_TAKEN : EDGE_FALL;
        to = kind == EDGE_TAKEN ? now.target.v : next;
        break;
    case INSTRUCTION_JUMP:
        kind = EDGE_JUMP;
        to = now.target.v;
        break;
    case INSTRUCTION_IJUMP:
        kind = EDGE_IJUMP;
        to = cfg->instructions.at[stroll_random(strolls) % cfg->instructions.n].at.v;
        break;
    case INSTRUCTION_CALL: kind = EDGE_CALL; break;
    case INSTRUCTION_ICALL: kind = EDGE_ICALL; break;
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: stroll_range(strolls, stroll->start, pc, stroll->n); return false;
    }
    if (cut) {
        stroll_range(strolls, stroll->start, pc, stroll->n);
        if (kind == EDGE_CALL || kind == EDGE_ICALL) {
            uint64_t callee =
                kind == EDGE_CALL ? now.target.v : strolls->binary.symbols.functions.at[0].start.v;
            stroll_edge(strolls, pc, callee, kind);
            if (!cfg_covers(cfg, (struct svma){next}) ||
                cfg->instructions.at[cfg_find(cfg, (struct svma){pc})].no_return)
                return false; /* did not come back */
            stroll_edge(strolls, 0, next, EDGE_RETURN);
        } else {
            stroll_edge(strolls, pc, to, kind);
        }
        stroll->start = to;
        stroll->n = 0;
    }
    stroll->pc = to;
    if (!cfg_covers(cfg, (struct svma){to}) ||
        cfg_find(cfg, (struct svma){to}) == INSTRUCTION_NONE) {
        if (!cut)
            stroll_range(strolls, stroll->start, pc, stroll->n);
        return false;
    }
    stroll_step(strolls, pc, to);
    return true;
}

/* Enters the function by a call from elsewhere and wanders for at most `steps`; whether it got out.
 */
static inline bool strolls_wander(struct strolls *strolls, function_id function, int steps)
{
    struct cfg cfg;
    cfg_build(&cfg, &strolls->binary.image, &strolls->binary.symbols, function, NULL, 0);
    uint64_t start = strolls->binary.symbols.functions.at[function].start.v;
    struct stroll stroll = {.pc = start, .start = start};
    struct edge_key call = {strolls->outside, strolls->module, {0x1000}, {start}, EDGE_CALL};
    table_at(&strolls->profile.edges, &call)->count++;
    bool on = cfg_find(&cfg, (struct svma){start}) != INSTRUCTION_NONE;
    while (on && steps-- > 0)
        on = stroll_on(strolls, &stroll, &cfg);
    if (on && stroll.n) { /* cut before what would have come next */
        struct svma last = {stroll.start};
        for (uint32_t i = 1; i < stroll.n; i++)
            last = instruction_next(&cfg.instructions.at[cfg_find(&cfg, last)]);
        stroll_range(strolls, stroll.start, last.v, stroll.n);
        uint64_t key[2] = {last.v, stroll.pc};
        strolls->counts.at[map_find(&strolls->steps, key)]--;
    }
    cfg_release(&cfg);
    return !on;
}

/* The instructions that windows of a profile executed: each decoded once, with its function and the
 * loops around it.
 *
 * A run of a window (profile/windows.h) becomes a row of instructions. A run that cannot be read
 * (no file, another build, code that a JIT made) is one instruction that stands for all of it:
 * opaque. */
#pragma once

#include "analysis/counts/scene.h"
#include "base/map.h"
#include "profile/windows.h"
#include "program/cfg/loops.h"
#include "program/insn/disasm.h"

enum { CODE_OPAQUE = 255 }; /* beside enum instruction_kind */
#define CODE_LOOP_NONE UINT32_MAX

struct window_insn {
    uint64_t at, target; /* svma; target: of direct branches, else 0 */
    uint32_t module;     /* of the scene */
    uint32_t function;   /* of the code's functions */
    uint32_t loop;       /* the innermost, of the code's loops, or CODE_LOOP_NONE */
    uint8_t bytes;
    uint8_t kind; /* enum instruction_kind, or CODE_OPAQUE */
    bool head;    /* the first instruction of its loop's head: an iteration begins */
};

struct window_function {
    uint32_t module;      /* of the scene */
    function_id function; /* of its symbols, or FUNCTION_NONE */
    uint64_t start;       /* 0: not known */
    const char *linkage;
    bool stub;      /* leads to a function of another module */
    bool has_loops; /* the graph and its loops are there */
    struct cfg cfg;
    struct loops loops;
    uint32_t first_loop; /* of the code's loops */
};

struct window_loop {
    uint32_t function, parent; /* parent: CODE_LOOP_NONE: the outermost */
    uint32_t depth;            /* 1: outermost */
    uint64_t head;             /* svma */
};

struct window_code_run {
    uint32_t first, n; /* instructions: `n` are executed, of an opaque one all by `first` */
    bool opaque;
};

struct window_code {
    struct scene *scene;
    struct map run_keys;
    struct window_code_runs {
        VEC(struct window_code_run);
    } runs;
    struct window_insns {
        VEC(struct window_insn);
    } insns;
    struct map function_keys;
    struct window_functions {
        VEC(struct window_function);
    } functions;
    struct window_loops {
        VEC(struct window_loop);
    } loops;
};

/* Of the scene's first profile. */
void window_code_init(struct window_code *code, struct scene *scene);
void window_code_release(struct window_code *code);

/* Its index in `runs`. */
uint32_t window_code_run(struct window_code *code, const struct window_run *run);

static inline uint64_t window_insn_end(const struct window_insn *insn)
{
    return insn->at + insn->bytes;
}
/* Whether `outer` is `inner`, or around it; CODE_LOOP_NONE is inside of nothing. */
bool window_loop_holds(const struct window_code *code, uint32_t outer, uint32_t inner);

#include "analysis/windows/window_code.h"

#include "analysis/counts/code_owner.h"
#include "analysis/counts/counted.h"

/* More is in no recording: whoever wrote that file wants our memory. */
enum { INSNS_MOST = 4 << 20 };

/* Keys: no padding. */
struct run_key {
    uint32_t module, bytes;
    uint64_t at, instructions;
};
struct function_key {
    uint32_t module, function;
    uint64_t start;
};

void window_code_init(struct window_code *code, struct scene *scene)
{
    *code = (struct window_code){.scene = scene};
    map_init(&code->run_keys, sizeof(struct run_key));
    map_init(&code->function_keys, sizeof(struct function_key));
}

void window_code_release(struct window_code *code)
{
    for (size_t i = 0; i < code->functions.n; i++)
        if (code->functions.at[i].has_loops) {
            loops_release(&code->functions.at[i].loops);
            cfg_release(&code->functions.at[i].cfg);
        }
    map_release(&code->run_keys);
    map_release(&code->function_keys);
    vec_release(&code->runs);
    vec_release(&code->insns);
    vec_release(&code->functions);
    vec_release(&code->loops);
}

/* ---- functions */

static uint32_t loop_global(const struct window_function *function, loop_id loop)
{
    return loop == LOOP_NONE ? CODE_LOOP_NONE : function->first_loop + loop;
}

/* The graph has the branches that the recording saw, so loops are those of gait report. */
static void loops_make(struct window_code *code, uint32_t index)
{
    struct window_function *function = &code->functions.at[index];
    const struct scene_function *seen =
        scene_function_find(code->scene, function->module, function->start);
    struct scene_function touched =
        seen && seen->function == function->function
            ? *seen
            : (struct scene_function){.module = function->module, .function = function->function};
    struct counted_function counted;
    counted_function_build(&counted, code->scene, touched);
    function->cfg = counted.cfg;
    counted.cfg = (struct cfg){0};
    counted_function_release(&counted);
    loops_find(&function->loops, &function->cfg);
    function->has_loops = true;
    function->first_loop = (uint32_t)code->loops.n;
    for (loop_id i = 0; i < function->loops.n; i++) {
        const struct loop *loop = &function->loops.at[i];
        *vec_push(&code->loops) =
            (struct window_loop){index, loop_global(function, loop->parent), loop->depth,
                                 function->cfg.blocks.at[loop->head].start.v};
    }
}

static uint32_t function_at(struct window_code *code, uint32_t module, uint64_t at)
{
    struct code_owner owner = code_owner_find(code->scene, 0, module, at);
    struct function_key key = {owner.module, owner.function, owner.start};
    uint32_t index = map_add(&code->function_keys, &key);
    if (index < code->functions.n)
        return index;
    struct binary *binary = scene_binary(code->scene, owner.module);
    bool named = binary && owner.function != FUNCTION_NONE;
    *vec_push(&code->functions) = (struct window_function){
        .module = owner.module,
        .function = owner.function,
        .start = owner.start,
        .linkage = owner.linkage,
        .stub = named && binary->symbols.functions.at[owner.function].source == FUNCTION_STUB,
    };
    if (named && !code->functions.at[index].stub)
        loops_make(code, index);
    return index;
}

bool window_loop_holds(const struct window_code *code, uint32_t outer, uint32_t inner)
{
    while (inner != CODE_LOOP_NONE && inner != outer)
        inner = code->loops.at[inner].parent;
    return inner == outer && inner != CODE_LOOP_NONE;
}

/* ---- runs */

static void loop_settle(const struct window_code *code, struct window_insn *insn)
{
    const struct window_function *function = &code->functions.at[insn->function];
    insn->loop = CODE_LOOP_NONE;
    if (!function->has_loops || !function->cfg.blocks.n)
        return;
    uint32_t index = cfg_find(&function->cfg, (struct svma){insn->at});
    if (index == INSTRUCTION_NONE)
        return;
    block_id block = function->cfg.block_of[index];
    loop_id loop = function->loops.of_block[block];
    insn->loop = loop_global(function, loop);
    insn->head = loop != LOOP_NONE && function->loops.at[loop].head == block &&
                 function->cfg.blocks.at[block].start.v == insn->at;
}

/* False: it is not code of this file, or other code than that which ran. */
static bool run_decode(struct window_code *code, const struct window_run *run)
{
    const struct image *image = scene_image(code->scene, 0, run->module);
    struct svma at = {run->at};
    if (!image || run->instructions > run->bytes || code->insns.n + run->instructions > INSNS_MOST)
        return false;
    for (uint32_t i = 0; i < run->instructions; i++) {
        struct instruction decoded;
        if (!disasm_at(image, at, &decoded))
            return false;
        struct window_insn insn = {.at = at.v,
                                   .target = decoded.target.v,
                                   .module = scene_module(code->scene, 0, run->module),
                                   .function = function_at(code, run->module, at.v),
                                   .bytes = decoded.bytes,
                                   .kind = decoded.kind};
        loop_settle(code, &insn);
        *vec_push(&code->insns) = insn;
        at = instruction_next(&decoded);
    }
    return at.v == run->at + run->bytes;
}

uint32_t window_code_run(struct window_code *code, const struct window_run *run)
{
    struct run_key key = {run->module, run->bytes, run->at, run->instructions};
    uint32_t index = map_add(&code->run_keys, &key);
    if (index < code->runs.n)
        return index;
    size_t first = code->insns.n;
    struct window_code_run made = {(uint32_t)first, run->instructions, false};
    if (!run_decode(code, run)) {
        made.opaque = true;
        code->insns.n = first;
        *vec_push(&code->insns) =
            (struct window_insn){.at = run->at,
                                 .module = scene_module(code->scene, 0, run->module),
                                 .function = function_at(code, run->module, run->at),
                                 .loop = CODE_LOOP_NONE,
                                 .kind = CODE_OPAQUE};
    }
    *vec_push(&code->runs) = made;
    return index;
}

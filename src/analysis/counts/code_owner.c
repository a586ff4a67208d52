#include "analysis/counts/code_owner.h"

#include "analysis/counts/scene.h"

struct code_owner code_owner_find(const struct scene *scene, uint32_t side, uint32_t module,
                                  uint64_t at)
{
    struct code_owner code = {.module = scene_module(scene, side, module)};
    code.function = scene_function_at(scene, code.module, at);
    code.linkage = scene_function_name(scene, code.module, code.function);
    if (code.function != FUNCTION_NONE) {
        const struct symbols *symbols = &scene_binary(scene, code.module)->symbols;
        code.start = symbols->functions.at[code.function].start.v;
        return code;
    }
    const struct name *name = names_find(&scene->sides[side]->names, module, at);
    if (name) {
        code.linkage = name->text;
        code.start = name->start;
    }
    return code;
}

void code_frames_find(struct code_frames *frames, const struct scene *scene, uint32_t module,
                      uint64_t at)
{
    struct binary *binary = scene_binary(scene, module);
    frames->n = binary ? source_frames(binary, (struct svma){at}, frames->at, frames->room) : 0;
    if (frames->n <= frames->room)
        return;
    vec_reserve(frames, frames->n);
    frames->n = source_frames(binary, (struct svma){at}, frames->at, frames->room);
}

/* The text of a core: it is read, or refused with a reason; what was read can run instructions. */
#include "base/err.h"
#include "model/core/core.h"
#include "model/core/insn.h"
#include "model/core/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const uint8_t code[] = {0x48, 0x01, 0x03, 0x48, 0xf7, 0xf3,
                                   0xf2, 0x0f, 0x59, 0x03, 0x75, 0xf4};
    struct model model;
    struct err err = {0};
    if (!model_read((const char *)data, bytes, "input", &model, &err)) {
        ASSERT(err.kind != ERR_NONE && err.text[0]);
        return 0;
    }
    struct core *core = core_make(&model);
    uint64_t retired = 0;
    for (int turn = 0; turn < 20; turn++)
        for (size_t at = 0; at < sizeof code;) {
            struct core_insn insn;
            struct core_times times;
            ASSERT(core_insn_make(&model, code + at, sizeof code - at, &insn));
            struct core_fact fact = {.at = {at}, .next = {at + insn.length}, .address = {at * 64}};
            core_step(core, &insn, &fact, &times);
            ASSERT(times.retire >= retired && times.retire > times.complete);
            retired = times.retire;
            at += insn.length;
        }
    core_free(core);
    model_release(&model);
    return 0;
}

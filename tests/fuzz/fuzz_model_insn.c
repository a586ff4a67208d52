/* Bytes as code, run through the model of a core: whatever can be decoded gets times in order. The
 * first byte chooses the core, and what comes behind it also gives addresses and ways of branches.
 */
#include "base/err.h"
#include "model/core/core.h"
#include "model/core/insn.h"
#include "model/core/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(const struct core_times *times, uint64_t before)
{
    ASSERT(times->fetch <= times->dispatch && times->dispatch <= times->ready);
    ASSERT(times->ready <= times->issue && times->issue <= times->complete);
    ASSERT(times->complete < times->retire && before <= times->retire);
    ASSERT(times->load_issue <= times->load_complete);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct model models[4];
    struct err err;
    for (int i = 0; i < 4 && !models[i].name; i++)
        ASSERT(model_names[i] && model_open(model_names[i], &models[i], &err));
    if (!bytes)
        return 0;
    const struct model *model = &models[data[0] & 3];
    struct core *core = core_make(model);
    struct core_times times = {0};
    for (size_t at = 1; at < bytes;) {
        struct core_insn insn;
        if (!core_insn_make(model, data + at, bytes - at, &insn)) {
            at++;
            continue;
        }
        ASSERT(insn.length && insn.length <= bytes - at);
        uint64_t address = (uint64_t)data[at] << 40 | (uint64_t)data[bytes - at] << 3;
        struct core_fact fact = {.at = {at},
                                 .next = {data[at] & 1 ? at + insn.length : at},
                                 .address = {address},
                                 .value_bits = data[at] & 63,
                                 .taken = !(data[at] & 1)};
        uint64_t before = times.retire;
        core_step(core, &insn, &fact, &times);
        check(&times, before);
        struct core_times wrong;
        for (int i = 0; times.events & CORE_MISPREDICT && i < 9; i++)
            if (core_wrong(core, &insn, &fact, &wrong))
                ASSERT(!wrong.retire && wrong.fetch < wrong.redirect);
        at += insn.length;
    }
    core_free(core);
    return 0;
}

#include "lab/pipeline/kernel.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* Far from the loops, each line's own. */
#define DATA_AT UINT64_C(0x100000000)

bool kernel_machine_open(struct kernel_machine *machine, const char *core, struct err *err)
{
    *machine = (struct kernel_machine){0};
    if (!model_open(core, &machine->model, err))
        return false;
    machine->core = core_make(&machine->model);
    return true;
}

void kernel_machine_close(struct kernel_machine *machine)
{
    core_free(machine->core);
    model_release(&machine->model);
}

static size_t bytes_read(const char *hex, uint8_t *ret_bytes, size_t room)
{
    size_t n = 0;
    unsigned byte;
    for (; n < room && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
        ret_bytes[n] = (uint8_t)byte;
    return n;
}

void kernel_make(struct kernel *kernel, const struct kernel_machine *machine,
                 const struct kernel_line *lines, struct avma at)
{
    uint8_t bytes[16];
    *kernel = (struct kernel){0};
    for (const struct kernel_line *line = lines; line->bytes; line++) {
        size_t n = bytes_read(line->bytes, bytes, sizeof bytes);
        for (uint32_t i = 0; i < (line->times ? line->times : 1); i++) {
            struct kernel_place *place = vec_push(kernel);
            place->at = at;
            place->line = line;
            bool good = core_insn_make(&machine->model, bytes, n, &place->insn);
            ASSERT(good && place->insn.length == n);
            at.v += n;
        }
    }
    kernel->end = at;
}

void kernel_release(struct kernel *kernel)
{
    vec_release(kernel);
}

static uint64_t address_draw(struct kernel_machine *machine, const struct kernel *kernel,
                             size_t index)
{
    const struct kernel_place *place = &kernel->at[index];
    if (!(place->insn.flags & (INSN_LOAD | INSN_STORE)))
        return 0;
    uint64_t base = DATA_AT + (kernel->at[0].at.v << 16) + (index << 24);
    return base + (place->line->reach_bytes
                       ? random_below(&machine->random, place->line->reach_bytes / 8) * 8
                       : 0);
}

void kernel_run(struct kernel_machine *machine, const struct kernel *kernel, uint64_t turns)
{
    struct core_times times;
    for (uint64_t turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < kernel->n; i++) {
            const struct kernel_place *place = &kernel->at[i];
            bool last = i + 1 == kernel->n, back = last && turn + 1 < turns;
            struct core_fact fact = {.at = place->at,
                                     .next = back   ? kernel->at[0].at
                                             : last ? kernel->end
                                                    : kernel->at[i + 1].at,
                                     .address = {address_draw(machine, kernel, i)},
                                     .taken = back};
            struct pmu_step step = {&place->insn, &fact, &times, core_history(machine->core),
                                    false};
            core_step(machine->core, &place->insn, &fact, &times);
            machine->see(machine->context, &step);
        }
}

size_t kernel_find(const struct kernel *kernel, struct avma at)
{
    size_t i = 0;
    while (i < kernel->n && kernel->at[i].at.v != at.v)
        i++;
    return i;
}

#include "waste/waste_registers.h"

void waste_registers_init(struct waste_registers *registers, struct waste_listener *listener)
{
    *registers = (struct waste_registers){.listener = listener};
}

void waste_registers_release(struct waste_registers *registers)
{
    vec_release(&registers->events);
    vec_release(&registers->events.free);
}

void waste_registers_forget(struct waste_registers *registers)
{
    waste_events_clear(&registers->events);
    memset(registers->writer, 0, sizeof registers->writer);
    memset(registers->known, 0, sizeof registers->known);
    registers->origins = registers->loaded = 0;
}

static void event_over(struct waste_registers *registers, uint32_t number, struct waste_site site,
                       uint64_t position)
{
    const struct waste_event event = *waste_event(&registers->events, number);
    waste_event_end(&registers->events, number);
    if (event.used || event.quiet)
        return;
    registers->listener->found(registers->listener->of,
                               &(struct waste_found){.kind = WASTE_UNUSED_RESULT,
                                                     .first = event.site,
                                                     .second = site,
                                                     .distance = position - event.position,
                                                     .bytes = event.bytes});
}

void waste_registers_run(struct waste_registers *registers, const struct waste_code *code,
                         struct waste_site site, uint64_t position, uint64_t bytes)
{
    uint32_t event = 0;
    for (uint64_t set = code->reads; set; set &= set - 1) {
        uint32_t writer = registers->writer[__builtin_ctzll(set)];
        if (writer)
            waste_event(&registers->events, writer)->used = true;
    }
    if (!code->writes)
        return;
    event = waste_event_new(&registers->events, site, position,
                            (uint32_t)__builtin_popcountll(code->writes));
    waste_event(&registers->events, event)->quiet = !(code->flags & WASTE_RESULT);
    waste_event(&registers->events, event)->bytes = (uint32_t)bytes;
    for (uint64_t set = code->writes; set; set &= set - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(set), old = registers->writer[reg];
        registers->writer[reg] = event;
        if (reg < WASTE_MASKS)
            registers->known[reg] = 0;
        if (old && !--waste_event(&registers->events, old)->left)
            event_over(registers, old, site, position);
    }
    registers->loaded &= ~code->writes;
}

void waste_registers_put(struct waste_registers *registers, uint32_t reg, const void *value,
                         uint32_t bytes)
{
    registers->known[reg] = (uint8_t)bytes;
    memcpy(registers->value[reg], value, bytes);
}

const uint8_t *waste_registers_value(const struct waste_registers *registers, uint32_t reg,
                                     uint32_t shift, uint64_t bytes)
{
    if (reg >= WASTE_MASKS || shift / 8 + bytes > registers->known[reg])
        return NULL;
    return registers->value[reg] + shift / 8;
}

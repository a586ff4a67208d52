#include "walk/emit/event_code.h"

#include "walk/base/context.h"
#include "walk/count/event_clock.h"
#include "walk/emit/emit.h"

/* A field of the page, whose address is in %rcx. */
static void emit_field(struct code_cursor *c, uint32_t rex, uint32_t reg, size_t field)
{
    if (rex)
        emit_u8(c, 0x48);
    emit_u8(c, LOAD);
    emit_u8(c, 0x41 | reg << 3);
    emit_u8(c, (uint32_t)field);
}

/* A byte or half of a slot: `bytes` is its instruction without the address. */
static void emit_part(struct code_cursor *c, const uint8_t *bytes, uint32_t n, size_t slot)
{
    emit_bytes(c, bytes, n);
    emit_u32(c, (uint32_t)slot);
}

/* %edx:%eax, of EVENT_COUNTER_BITS bits, to %rax with its sign: flags may not change, so by way of
 * memory. */
static void emit_signed(struct code_cursor *c)
{
    static const uint8_t low[] = {0x65, 0x89, 0x04, 0x25}, high[] = {0x65, 0x89, 0x14, 0x25};
    static const uint8_t sign[] = {0x65, 0x0f, 0xbe, 0x14, 0x25}; /* movsbl, %edx */
    static const uint8_t put[] = {0x65, 0x88, 0x34, 0x25};        /* mov %dh */
    emit_part(c, low, sizeof low, SLOT(slot_clock));
    emit_part(c, high, sizeof high, SLOT(slot_clock) + 4);
    emit_part(c, sign, sizeof sign, SLOT(slot_clock) + EVENT_COUNTER_BITS / 8 - 1);
    for (size_t byte = EVENT_COUNTER_BITS / 8; byte < 8; byte++)
        emit_part(c, put, sizeof put, SLOT(slot_clock) + byte);
    emit_load(c, RAX, SLOT(slot_clock));
}

/* Whether the page has changed meanwhile: %rcx is zero if not. */
static void emit_compare(struct code_cursor *c)
{
    static const uint8_t before[] = {0x65, 0x8b, 0x14, 0x25}; /* mov, %edx */
    static const uint8_t less[] = {0x48, 0xf7, 0xd2, 0x48, 0x8d, 0x4c, 0x11, 1};
    emit_load(c, RCX, SLOT(event_page));
    emit_field(c, 0, RCX, offsetof(struct perf_event_mmap_page, lock));
    emit_part(c, before, sizeof before, SLOT(slot_event_lock));
    emit_bytes(c, less, sizeof less); /* not %rdx; lea 1(%rcx,%rdx), %rcx */
}

/* ++*context.events_lost, for one of several threads now and then; the last count to %rax. */
static void emit_lost(struct code_cursor *c)
{
    static const uint8_t one_more[] = {0x48, 0x8b, 0x11, 0x48, 0x8d, 0x52, 1, 0x48, 0x89, 0x11};
    emit_load(c, RCX, SLOT(events_lost));
    emit_bytes(c, one_more, sizeof one_more); /* mov (%rcx), %rdx; lea 1(%rdx), %rdx; mov back */
    emit_load(c, RAX, SLOT(event_count));
}

void event_emit(struct taken *t)
{
    static const uint8_t keep[] = {0x65, 0x89, 0x14, 0x25};       /* mov %edx */
    static const uint8_t read[] = {0x8d, 0x49, 0xff, 0x0f, 0x33}; /* lea -1(%rcx), %ecx; rdpmc */
    static const uint8_t sum[] = {0x48, 0x8d, 0x04, 0x10};        /* lea (%rax,%rdx), %rax */
    struct code_cursor *c = t->c;
    emit_store(c, RCX, SLOT(slot_event_rcx));
    const uint8_t *again = c->at;
    emit_load(c, RCX, SLOT(event_page));
    uint8_t *nowhere = emit_short(c, JRCXZ);
    emit_field(c, 0, RDX, offsetof(struct perf_event_mmap_page, lock));
    emit_part(c, keep, sizeof keep, SLOT(slot_event_lock));
    emit_field(c, REX_W, RAX, offsetof(struct perf_event_mmap_page, offset));
    emit_store(c, RAX, SLOT(slot_event_offset));
    emit_field(c, 0, RCX, offsetof(struct perf_event_mmap_page, index));
    uint8_t *stopped = emit_short(c, JRCXZ);
    emit_bytes(c, read, sizeof read);
    emit_signed(c);
    emit_load(c, RDX, SLOT(slot_event_offset));
    emit_bytes(c, sum, sizeof sum);
    emit_compare(c);
    uint8_t *same = emit_short(c, JRCXZ);
    emit_u8(c, 0xe9); /* jmp: too far for a short one */
    emit_u32(c, (uint32_t)(again - (c->at + 4)));
    emit_near_here(nowhere, c);
    emit_near_here(stopped, c);
    emit_lost(c);
    emit_near_here(same, c);
    emit_store(c, RAX, SLOT(event_count));
    emit_load(c, RCX, SLOT(slot_event_rcx));
}

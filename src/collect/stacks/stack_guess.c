#include "collect/stacks/stack_guess.h"

#include "program/elf/image.h"
#include "program/unwind/unwind.h"
#include "x86/insn.h"

#include <elf.h>
#include <string.h>

/* Bytes that `call *operand` has behind its opcode FF, or 0 if it is another instruction. */
static size_t indirect_call_bytes(const uint8_t *modrm, size_t room)
{
    static const uint8_t displacement[4] = {0, 1, 4, 0};
    uint8_t mod = modrm[0] >> 6, rm = modrm[0] & 7;
    if ((modrm[0] >> 3 & 7) != 2)
        return 0;
    if (mod == 3)
        return 1;
    if (rm == 4)
        return room < 2 ? 0 : (size_t)2 + (mod == 0 && (modrm[1] & 7) == 5 ? 4 : displacement[mod]);
    return (size_t)1 + (mod == 0 && rm == 5 ? 4 : displacement[mod]);
}

/* Whether the bytes before an address can be a call; n are known. */
static bool ends_in_call(const uint8_t *end, size_t n)
{
    if (n >= 5 && end[-5] == 0xE8)
        return true;
    for (size_t back = 2; back <= 7 && back <= n; back++)
        if (end[-(ptrdiff_t)back] == 0xFF &&
            indirect_call_bytes(end - back + 1, back - 1) == back - 1)
            return true;
    return false;
}

static bool is_return_address(const struct stack_space *space, uint64_t address)
{
    struct stack_place place;
    enum { CALL_MAX = 7 };
    if (address <= CALL_MAX || !space->place(space->closure, (struct avma){address - 1}, &place))
        return false;
    if (!place.image)
        return true; /* code that is in no file */
    for (size_t back = CALL_MAX; back >= 2; back--) {
        size_t room;
        const uint8_t *bytes =
            image_bytes(place.image, (struct svma){place.at.v + 1 - back}, &room);
        if (bytes)
            return room >= back && ends_in_call(bytes + back, back);
    }
    return false;
}

static void go(struct unwind_frame *frame, uint64_t rip, uint64_t rsp)
{
    frame->value[UNWIND_RIP] = rip;
    frame->value[UNWIND_RSP] = rsp;
    frame->interrupted = false;
}

/* `at` holds the caller's rbp, and the return address above it. */
static bool by_frame_at(const struct stack_space *space, struct unwind_frame *frame,
                        const struct unwind_memory *memory, uint64_t at)
{
    uint64_t saved, rip;
    if ((at & 7) || at < frame->value[UNWIND_RSP] ||
        !unwind_read(memory, (struct avma){at}, &saved) ||
        !unwind_read(memory, (struct avma){at + 8}, &rip) || !is_return_address(space, rip))
        return false;
    go(frame, rip, at + 16);
    /* Its function may have saved others too, and nothing says where. */
    frame->known = 1u << UNWIND_RIP | 1u << UNWIND_RSP | 1u << UNWIND_RBP;
    frame->value[UNWIND_RBP] = saved;
    return true;
}

/* Assembly with vectors on the stack aligns rsp and then rbp, and keeps at [rbp] where rsp was when
 * the caller's rbp had just been pushed. */
static bool by_aligned_frame(const struct stack_space *space, struct unwind_frame *frame,
                             const struct unwind_memory *memory)
{
    enum { ALIGNMENT_MAX = 64 };
    uint64_t rbp = frame->value[UNWIND_RBP], at;
    return (rbp & 15) == 0 && unwind_read(memory, (struct avma){rbp}, &at) && at > rbp &&
           at - rbp <= ALIGNMENT_MAX && by_frame_at(space, frame, memory, at);
}

/* At its first instruction, or when it pushes nothing, a function has its return address on top. */
static bool by_leaf(const struct stack_space *space, struct unwind_frame *frame,
                    const struct unwind_memory *memory)
{
    uint64_t rsp = frame->value[UNWIND_RSP], rip;
    if (!unwind_read(memory, (struct avma){rsp}, &rip) || !is_return_address(space, rip))
        return false;
    go(frame, rip, rsp + 8);
    return true;
}

/* Code made at run time that lets a call look like one of a function with a name of its own: 16
 * bytes with the return address, to code of a file. All other registers are its caller's. */
static bool by_trampoline(const struct stack_space *space, struct unwind_frame *frame,
                          const struct unwind_memory *memory)
{
    struct stack_place own, caller;
    uint64_t rsp = frame->value[UNWIND_RSP], rip;
    if (!space->place(space->closure, (struct avma){frame->value[UNWIND_RIP] - 1}, &own) ||
        own.image || !unwind_read(memory, (struct avma){rsp + 8}, &rip) ||
        !is_return_address(space, rip) ||
        !space->place(space->closure, (struct avma){rip - 1}, &caller) || !caller.image)
        return false;
    go(frame, rip, rsp + 16);
    return true;
}

/* By what reading the function has told. */
static bool by_code(const struct stack_space *space, struct unwind_frame *frame,
                    const struct unwind_memory *memory)
{
    struct stack_place place;
    struct unwind_frame caller = *frame;
    uint64_t inside = frame->value[UNWIND_RIP] - !frame->interrupted;
    if (!space->place(space->closure, (struct avma){inside}, &place) || !place.unwind ||
        unwind_step_derived(place.unwind, place.at, &caller, memory) != UNWIND_CALLER ||
        !is_return_address(space, caller.value[UNWIND_RIP]))
        return false;
    *frame = caller;
    return true;
}

bool stack_guess(enum stack_fallback by, const struct stack_space *space,
                 struct unwind_frame *frame, const struct unwind_memory *memory, bool innermost)
{
    bool has_rbp = frame->known >> UNWIND_RBP & 1;
    switch (by) {
    case STACK_BY_CODE: return by_code(space, frame, memory);
    case STACK_BY_LEAF: return innermost && by_leaf(space, frame, memory);
    case STACK_BY_FRAME_POINTER:
        return has_rbp && by_frame_at(space, frame, memory, frame->value[UNWIND_RBP]);
    case STACK_BY_ALIGNED_FRAME: return has_rbp && by_aligned_frame(space, frame, memory);
    case STACK_BY_TRAMPOLINE: return !innermost && by_trampoline(space, frame, memory);
    default: return false;
    }
}

bool stack_guess_outermost(const struct unwind_frame *frame, bool innermost)
{
    return !innermost && (frame->known >> UNWIND_RBP & 1) && !frame->value[UNWIND_RBP];
}

/* Not further than to the first instruction that goes elsewhere for good: other functions follow.
 */
bool stack_guess_entry(const struct stack_place *place)
{
    enum { START_BYTES = 128 };
    Elf64_Ehdr header = {0};
    if (place->image && place->image->file.n_bytes >= sizeof header)
        memcpy(&header, place->image->file.bytes, sizeof header);
    if (!header.e_entry || place->at.v - header.e_entry >= START_BYTES)
        return false;
    struct insn insn;
    size_t room;
    for (uint64_t at = header.e_entry; at <= place->at.v; at += insn.length) {
        const uint8_t *bytes = image_bytes(place->image, (struct svma){at}, &room);
        if (!bytes || !insn_decode(bytes, room, &insn))
            return false;
        bool last = insn.class == INSN_JUMP || insn.class == INSN_IJUMP ||
                    insn.class == INSN_RETURN || insn.class == INSN_REFUSED;
        if (last && at + insn.length <= place->at.v)
            return false;
    }
    return true;
}

#include "collect/stacks/stack_landing.h"

#include "program/elf/image.h"
#include "program/unwind/unwind.h"
#include "x86/insn.h"

/* In the order of encodings. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, LOW_REGISTERS };
static const uint8_t dwarf_number[LOW_REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5};

enum { MOV_TO_MEMORY = 0x89, MOV_TO_REGISTER = 0x8b, LEA = 0x8d, REX_W = 0x48 };

/* ---- the code up to where rsp is set */

struct ending {
    unsigned calls;                /* that are still to come */
    bool stores;                   /* the landing pad's address is still to be stored */
    bool adds;                     /* rcx is still a distance, not yet the address of that store */
    uint8_t origin[LOW_REGISTERS]; /* whose present value each will have, when rcx is added to */
};

/* 8(%rbp,REGISTER), where the return address lies if the distance is 0. */
static bool is_slot(const struct insn *insn)
{
    return insn->modrm >> 6 == 1 && (insn->modrm & 7) == 4 && insn->sib >> 6 == 0 &&
           (insn->sib & 7) == RBP && insn->disp == 8;
}

static void ending_add(struct ending *ending, const struct insn *insn)
{
    uint8_t reg = insn->modrm >> 3 & 7, rm = insn->modrm & 7;
    ending->calls += insn->class == INSN_CALL || insn->class == INSN_ICALL;
    if (insn->space != SPACE_LEGACY || insn->map != 0 || insn->rex != REX_W)
        return;
    if (insn->opcode == LEA && reg == RCX && is_slot(insn))
        ending->adds = true;
    if (insn->opcode == MOV_TO_MEMORY && is_slot(insn))
        ending->stores = true;
    if (ending->adds || insn->modrm < 0xc0)
        return;
    if (insn->opcode == MOV_TO_MEMORY)
        ending->origin[rm] = ending->origin[reg];
    if (insn->opcode == MOV_TO_REGISTER)
        ending->origin[reg] = ending->origin[rm];
}

static bool ending_read(struct ending *ending, const struct image *image, uint64_t from,
                        uint64_t to)
{
    struct insn insn;
    size_t room;
    *ending = (struct ending){.origin = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI}};
    for (uint64_t at = from; at < to; at += insn.length) {
        const uint8_t *bytes = image_bytes(image, (struct svma){at}, &room);
        if (!bytes || !insn_decode(bytes, room, &insn))
            return false;
        ending_add(ending, &insn);
    }
    return true;
}

/* ---- where it lands */

static uint64_t low_register(const struct unwind_frame *frame, uint8_t number)
{
    return frame->value[dwarf_number[number]];
}

/* Where the landing pad's address is stored. While that is to come, the catching frame's return
 * address is there, which was copied: a proof that all is as it should be. */
static bool slot_find(const struct ending *ending, const struct unwind_frame *thrower,
                      const struct unwind_memory *memory, uint64_t copied, uint64_t *ret_slot)
{
    uint64_t slot = low_register(thrower, RCX), there;
    if (ending->adds)
        slot = low_register(thrower, RBP) + 8 + low_register(thrower, ending->origin[RCX]);
    if (!unwind_read(memory, (struct avma){slot}, &there) || (ending->stores && there != copied))
        return false;
    *ret_slot = slot;
    return true;
}

/* The rules still say where its own function had saved the registers. */
static void land(const struct unwind_frame *thrower, struct unwind_frame *caller)
{
    uint64_t rsp = caller->value[UNWIND_RSP], rip = caller->value[UNWIND_RIP];
    *caller = *thrower;
    caller->value[UNWIND_RSP] = rsp;
    caller->value[UNWIND_RIP] = rip;
    caller->interrupted = true; /* it is not behind a call */
}

void stack_landing(const struct stack_place *place, const struct unwind_frame *thrower,
                   const struct unwind_memory *memory, struct unwind_frame *caller)
{
    /* After the copying one more call comes, of a function for debuggers that does nothing. */
    unsigned calls_most = thrower->interrupted ? 1 : 0;
    struct svma end;
    struct ending ending;
    uint64_t slot;
    if (thrower->interrupted && unwind_eh_returns(place->unwind, place->at)) {
        land(thrower, caller);
        return;
    }
    if (!place->image || !unwind_eh_return(place->unwind, place->at, &end) ||
        !ending_read(&ending, place->image, place->at.v + !thrower->interrupted, end.v) ||
        ending.calls > calls_most ||
        !slot_find(&ending, thrower, memory, caller->value[UNWIND_RIP], &slot) ||
        slot + 8 < caller->value[UNWIND_RSP])
        return;
    caller->value[UNWIND_RSP] = slot + 8;
}

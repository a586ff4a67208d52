#include "walk/emit/through_gs.h"

#include "walk/base/context.h"

#define SLOT(field) offsetof(struct context, field)

static bool is_rdgsbase(const struct insn *insn)
{
    return insn->space == SPACE_LEGACY && insn->map == 1 && insn->opcode == 0xae &&
           (insn->prefixes & PREFIX_F3) && insn->modrm >= 0xc8 && insn->modrm < 0xd0;
}

static uint32_t rm_register(const struct insn *insn)
{
    return (insn->modrm & 7u) | (insn->rex & 1u) << 3;
}

/* A byte register number means another register with REX, which the copy has. */
static bool names_high_byte(const struct insn *insn)
{
    uint8_t op = insn->opcode;
    if (insn->rex || (insn->modrm & 0x20) == 0)
        return false;
    if (insn->map == 1)
        return op == 0xb0 || op == 0xc0;
    return insn->map == 0 &&
           ((op < 0x40 && !(op & 5)) || op == 0x84 || op == 0x86 || op == 0x88 || op == 0x8a);
}

static bool names_r11(const struct insn *insn)
{
    bool has_sib = (insn->modrm & 7) == 4;
    uint32_t reg = (insn->modrm >> 3 & 7u) | (insn->rex & 4u) << 1;
    uint32_t base = ((has_sib ? insn->sib : insn->modrm) & 7u) | (insn->rex & 1u) << 3;
    uint32_t index = has_sib ? (insn->sib >> 3 & 7u) | (insn->rex & 2u) << 2 : 0;
    return reg == R11 || base == R11 || index == R11;
}

/* Branches; pop, whose address uses the new stack pointer; lea, which accesses no memory. */
static bool is_unfit(const struct insn *insn)
{
    uint8_t op = insn->opcode, reg = insn->modrm >> 3 & 7;
    return insn->map == 0 && (op == 0x8f || op == 0x8d || (op == 0xff && reg >= 2 && reg <= 5));
}

bool through_gs(const struct insn *insn)
{
    if (insn->refusal != REFUSAL_GS || insn->space != SPACE_LEGACY)
        return false;
    if (is_rdgsbase(insn))
        return rm_register(insn) != RSP;
    return insn->has_modrm && insn->modrm < 0xc0 && (insn->prefixes & PREFIX_GS) &&
           !(insn->prefixes & PREFIX_FS) && !is_unfit(insn) && !names_r11(insn) &&
           !names_high_byte(insn);
}

bool through_gs_holds(const struct insn *insn)
{
    return !is_rdgsbase(insn);
}

/* lea of the operand without its segment */
static void emit_address(struct code_cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    if (insn->prefixes & PREFIX_67)
        emit_u8(c, 0x67);
    emit_u8(c, 0x4c | (insn->rex & 3));
    emit_u8(c, 0x8d);
    emit_u8(c, (insn->modrm & 0xc7) | (R11 & 7) << 3);
    if ((insn->modrm & 7) == 4)
        emit_u8(c, insn->sib);
    if (!insn->disp_bytes)
        return;
    emit_bytes(c, step->bytes + insn->disp_at, insn->disp_bytes);
    if (insn->rip_relative)
        emit_displacement(c, c->at - 4, step->pc + insn->length + (uint64_t)(int64_t)insn->disp);
}

void through_gs_before(struct code_cursor *c, const struct step *step)
{
    static const uint8_t add[] = {0x4f, 0x8d, 0x1c, 0x13}; /* lea (%r11,%r10), %r11 */
    if (!through_gs_holds(&step->insn))
        return;
    emit_store(c, R11, SLOT(slot_r11));
    emit_address(c, step);
    emit_store(c, R10, SLOT(slot_r10));
    emit_load(c, R10, SLOT(program_gs));
    emit_bytes(c, add, sizeof add);
    emit_load(c, R10, SLOT(slot_r10));
}

static bool is_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x66:
    case 0xf0:
    case 0xf2:
    case 0xf3: return true;
    default: return false;
    }
}

/* mov gs:[program_gs], %r32 or %r64 */
static void emit_rdgsbase(struct code_cursor *c, const struct insn *insn)
{
    uint32_t reg = rm_register(insn);
    emit_u8(c, 0x65);
    emit_u8(c, 0x40 | (insn->rex & 8) | (reg >> 3) << 2);
    emit_u8(c, 0x8b);
    emit_u8(c, 0x04 | (reg & 7) << 3);
    emit_u8(c, 0x25);
    emit_u32(c, SLOT(program_gs));
}

/* Prefixes that matter, REX, opcode; then (%r11), and the immediate. */
void through_gs_copy(struct code_cursor *c, const struct step *step)
{
    const struct insn *insn = &step->insn;
    const uint8_t *bytes = step->bytes;
    if (is_rdgsbase(insn)) {
        emit_rdgsbase(c, insn);
        return;
    }
    uint32_t escapes = insn->map == 0 ? 0 : insn->map == 1 ? 1 : 2;
    uint32_t opcode_at = insn->opcode_at - escapes;
    for (uint32_t i = 0; i < opcode_at; i++)
        if (is_prefix(bytes[i]))
            emit_u8(c, bytes[i]);
    emit_u8(c, 0x41 | (insn->rex & 0x0c));
    emit_bytes(c, bytes + opcode_at, escapes + 1);
    emit_u8(c, (insn->modrm & 0x38) | (R11 & 7));
    uint32_t behind = insn->modrm_at + 1u + ((insn->modrm & 7) == 4) + insn->disp_bytes;
    emit_bytes(c, bytes + behind, insn->length - behind);
}

void through_gs_after(struct code_cursor *c, const struct step *step)
{
    if (through_gs_holds(&step->insn))
        emit_load(c, R11, SLOT(slot_r11));
}

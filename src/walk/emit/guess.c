#include "walk/emit/guess.h"

static bool is_byte_opcode(const struct insn *insn)
{
    return insn->space == SPACE_LEGACY && insn->map == 0;
}

/* add, sub or lea of a constant to %rsp. */
static bool moves_stack(const struct insn *insn, int32_t *ret_by)
{
    uint8_t reg = insn->modrm >> 3 & 7;
    if (!is_byte_opcode(insn) || !insn->has_modrm || (insn->prefixes & PREFIX_67))
        return false;
    bool arithmetic = (insn->opcode == 0x81 || insn->opcode == 0x83) && (reg == 0 || reg == 5);
    if (arithmetic && (insn->rex & 9) == 8 && (insn->modrm & 0xc7) == 0xc4) {
        *ret_by = (int32_t)(reg ? -insn->imm : insn->imm);
        return true;
    }
    if (insn->opcode == 0x8d && (insn->rex & 15) == 8 && reg == RSP && (insn->modrm & 7) == 4 &&
        insn->modrm < 0xc0 && (insn->sib & 0x3f) == 0x24) {
        *ret_by = insn->disp;
        return true;
    }
    return false;
}

/* A pop of a register, not of %rsp. */
static bool pops(const struct insn *insn)
{
    return is_byte_opcode(insn) && insn->opcode >= 0x58 && insn->opcode <= 0x5f &&
           !(insn->prefixes & PREFIX_66) && (insn->opcode != 0x5c || (insn->rex & 1));
}

/* What the instruction adds to %rsp. Only what epilogues and prologues are made of is seen. False:
 * it is not known. */
static bool stack_follow(const struct insn *insn, int32_t *sp)
{
    int32_t by = 0;
    uint8_t op = insn->opcode;
    if (!is_byte_opcode(insn))
        return true;
    if (moves_stack(insn, &by))
        *sp += by;
    else if (op >= 0x50 && op <= 0x5f)
        *sp += op < 0x58 ? -8 : 8;
    else if (op == 0x68 || op == 0x6a)
        *sp -= 8;
    return op != 0xc9; /* leave */
}

/* True if %rsp may be a register operand, and so be written. */
static bool names_stack(const struct insn *insn)
{
    uint8_t op = insn->opcode;
    bool group = is_byte_opcode(insn) &&
                 (op == 0x80 || op == 0x81 || op == 0x83 || op == 0xc6 || op == 0xc7 ||
                  (op & 0xfe) == 0xc0 || (op & 0xfc) == 0xd0 || (op & 0xfe) == 0xf6 || op == 0xfe);
    if (!insn->has_modrm)
        return (op & 7) == RSP && !(insn->rex & 1);
    return (!group && (insn->modrm >> 3 & 7) == RSP && !(insn->rex & 4)) ||
           (insn->modrm >= 0xc0 && (insn->modrm & 7) == RSP && !(insn->rex & 1));
}

/* One-byte opcodes of moves and arithmetic that never write to memory if their operand is a
 * register; `loads`: nor if it is memory. */
static bool computes(const struct insn *insn, bool *ret_loads)
{
    uint8_t op = insn->opcode, reg = insn->modrm >> 3 & 7;
    *ret_loads = false;
    if (op < 0x40 && (op & 7) < 6) {
        *ret_loads = (op & 6) == 2 || op >= 0x38;
        return true;
    }
    switch (op) {
    case 0x63:
    case 0x84:
    case 0x85:
    case 0x8a:
    case 0x8b:
    case 0x8d: *ret_loads = true; return true;
    case 0x80:
    case 0x81:
    case 0x83:
    case 0x88:
    case 0x89:
    case 0x90:
    case 0x98:
    case 0x99:
    case 0xa8:
    case 0xa9:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return true;
    case 0xc6:
    case 0xc7:
    case 0xfe: return reg < (op == 0xfe ? 2 : 1);
    case 0xf6:
    case 0xf7: return reg < 4;
    default: return op >= 0xb0 && op <= 0xbf;
    }
}

/* The same of 0F opcodes: cmov, set, movzx, movsx, imul, moves and xor of vectors, nop. */
static bool computes_0f(const struct insn *insn, bool *ret_loads)
{
    uint8_t op = insn->opcode;
    *ret_loads = !(op >= 0x90 && op <= 0x9f);
    return (op >= 0x40 && op <= 0x4f) || !*ret_loads || op == 0xaf || op == 0xb6 || op == 0xb7 ||
           op == 0xbe || op == 0xbf || op == 0x10 || op == 0x28 || op == 0x57 || op == 0x6f ||
           op == 0xef || op == 0x1f;
}

/* True if the instruction certainly stores nothing; it may load, and fault. */
static bool stores_nothing(const struct insn *insn)
{
    bool memory = insn->has_modrm && insn->modrm < 0xc0, loads;
    if (insn->class != INSN_PLAIN || (insn->prefixes & (PREFIX_LOCK | PREFIX_GS | PREFIX_67)))
        return false;
    if (insn->space == SPACE_VEX)
        return insn->map == 1 && insn->opcode == 0x77; /* vzeroupper */
    if (insn->space != SPACE_LEGACY || insn->map > 1)
        return false;
    bool known = insn->map ? computes_0f(insn, &loads) : computes(insn, &loads);
    return known && (!memory || loads);
}

/* From the step to the return: %rsp is followed, and nothing stores. */
static bool guess_tail(const struct shape *shape, struct guess *guess)
{
    guess->at = 0;
    for (uint32_t i = guess->step; i + 1 < shape->n_steps; i++) {
        const struct insn *insn = &shape->steps[i].insn;
        int32_t by;
        bool stays = stores_nothing(insn) && !names_stack(insn);
        if (shape->steps[i].through_gs || !(stays || pops(insn) || moves_stack(insn, &by)) ||
            !stack_follow(insn, &guess->at))
            return false;
    }
    return guess->at >= 0 && guess->at < 1 << 16 && shape->n_steps - guess->step <= GUESS_STEPS;
}

uint32_t shape_dead_step(const struct shape *shape)
{
    uint8_t live = FLAGS_ALL;
    for (uint32_t i = shape->n_steps - 1; i-- > shape->first_step[shape->n_segments - 1];) {
        const struct insn *insn = &shape->steps[i].insn;
        live = (uint8_t)((live & ~insn_flags_killed(insn)) | insn_flags_read(insn));
        if (!live)
            return i;
    }
    return SHAPE_STEPS;
}

/* Where a return reads its address. */
static void guess_follow(const struct shape *shape, struct guess *guess)
{
    int32_t sp = 0;
    guess->known = guess->stacked = true;
    for (uint32_t i = 0; i < guess->step && guess->known; i++)
        guess->known = stack_follow(&shape->steps[i].insn, &sp);
    guess->source = sp + guess->at;
}

/* Jumps and calls through a constant place: those of the procedure linkage table. Others often have
 * many targets. */
static struct guess guess_linkage(const struct shape *shape)
{
    const struct step *step = &shape->steps[shape->n_steps - 1];
    const struct insn *insn = &step->insn;
    struct guess guess = {.step = SHAPE_STEPS};
    if (!insn->rip_relative || (insn->prefixes & PREFIX_FS))
        return guess;
    guess.step = shape->n_steps - 1;
    guess.late = guess.known = true;
    guess.source = (int64_t)(step->pc + insn->length) + insn->disp;
    return guess;
}

struct guess guess_find(const struct shape *shape)
{
    struct guess guess = {.step = SHAPE_STEPS};
    const struct insn *last = &shape->steps[shape->n_steps - 1].insn;
    if (shape->stepped)
        return guess;
    if (last->class == INSN_IJUMP || last->class == INSN_ICALL)
        return guess_linkage(shape);
    if (last->class != INSN_RETURN || last->imm_bytes)
        return guess;
    guess.step = shape_dead_step(shape);
    guess.late = guess.step == SHAPE_STEPS || !guess_tail(shape, &guess);
    if (guess.late) {
        guess.step = shape->n_steps - 1;
        guess.at = 0;
    }
    guess_follow(shape, &guess);
    return guess;
}

uint8_t *emit_guess_late(struct code_cursor *c, uint64_t target)
{
    static const uint8_t compare[] = {0x4a, 0x8d, 0x0c, 0x19, 0xe3, 0};
    emit_u8(c, 0x48); /* movabs $-target, %rcx */
    emit_u8(c, 0xb9);
    emit_u64(c, 0 - target);
    emit_bytes(c, compare, sizeof compare); /* lea (%rcx,%r11), %rcx; jrcxz */
    return c->at - 1;
}

/* cmpl $value, at(%rsp); jne: its field */
static uint8_t *emit_compare(struct code_cursor *c, int32_t at, uint32_t value)
{
    bool small = at < 128;
    emit_u8(c, 0x81);
    emit_u8(c, small ? 0x7c : 0xbc);
    emit_u8(c, 0x24);
    if (small)
        emit_u8(c, (uint32_t)at);
    else
        emit_u32(c, (uint32_t)at);
    emit_u32(c, value);
    emit_u8(c, 0x0f);
    emit_u8(c, 0x85);
    emit_u32(c, 0);
    return c->at - 4;
}

struct guess_code emit_guess(struct code_cursor *c, const struct guess *guess, uint64_t target)
{
    struct guess_code code;
    code.missed[0] = emit_compare(c, guess->at, (uint32_t)target);
    code.missed[1] = emit_compare(c, guess->at + 4, (uint32_t)(target >> 32));
    return code;
}

void emit_guess_missed(struct code_cursor *c, const struct guess_code *code)
{
    emit_displacement(c, code->missed[0], cursor_runs_at(c));
    emit_displacement(c, code->missed[1], cursor_runs_at(c));
}

void emit_guessed_return(struct code_cursor *c)
{
    static const uint8_t up[] = {0x48, 0x8d, 0x64, 0x24, 8}; /* lea 8(%rsp), %rsp */
    emit_bytes(c, up, sizeof up);
}

#include "program/unwind/unwind_program.h"

#include <dwarf.h>
#include <string.h>

enum { REMEMBERED_MAX = 16 };

struct state {
    const struct unwind_cie *cie;
    struct unwind_expressions *expressions;
    unwind_emit *emit;
    void *closure;
    struct cursor code;
    uint64_t at; /* svma that the next change is for */
    struct unwind_rule now, given, initial;
    bool any_given;
    struct unwind_rule remembered[REMEMBERED_MAX];
    size_t n_remembered;
};

/* ---- operands */

static bool uleb(struct state *s, uint64_t *ret_value)
{
    return code_leb(&s->code, false, ret_value);
}

/* An offset, as it stands or times the CIE's factor. */
static bool offset(struct state *s, bool is_signed, bool factored, int64_t *ret_value)
{
    uint64_t value;
    if (!code_leb(&s->code, is_signed, &value))
        return false;
    *ret_value = (int64_t)(factored ? value * (uint64_t)s->cie->data_factor : value);
    return true;
}

static bool expression(struct state *s, struct cursor *ret_code)
{
    uint64_t bytes;
    if (!uleb(s, &bytes) || !bytes || bytes > cursor_room(&s->code))
        return false;
    *ret_code = (struct cursor){.at = s->code.at, .end = s->code.at + bytes};
    s->code.at += bytes;
    return true;
}

/* ---- columns */

/* Vector and other registers have rules too, which no step needs. */
static bool column_set(struct state *s, uint64_t number, enum column_kind kind, int64_t value)
{
    int64_t most = INT32_MAX >> COLUMN_BITS;
    if (value > most || value < -most)
        return false;
    if (number >= UNWIND_REGISTERS)
        return true;
    s->now.columns |= 1u << number;
    s->now.column[number] = (int32_t)((uint32_t)value << COLUMN_BITS | (uint32_t)kind);
    return true;
}

static bool column_same(struct state *s, uint64_t number)
{
    if (number < UNWIND_REGISTERS) {
        s->now.columns &= ~(1u << number);
        s->now.column[number] = 0;
    }
    return true;
}

static bool column_restore(struct state *s, uint64_t number)
{
    if (number < UNWIND_REGISTERS) {
        s->now.columns &= ~(1u << number);
        s->now.columns |= s->initial.columns & 1u << number;
        s->now.column[number] = s->initial.column[number];
    }
    return true;
}

static bool column_offset(struct state *s, enum column_kind kind, bool is_signed)
{
    uint64_t number;
    int64_t value;
    return uleb(s, &number) && offset(s, is_signed, true, &value) &&
           column_set(s, number, kind, value);
}

static bool column_register(struct state *s)
{
    uint64_t number, other;
    if (!uleb(s, &number) || !uleb(s, &other))
        return false;
    if (other >= UNWIND_REGISTERS)
        return column_set(s, number, COLUMN_UNDEFINED, 0);
    return column_set(s, number, COLUMN_REGISTER, (int64_t)other);
}

static bool column_expression(struct state *s, enum column_kind kind)
{
    uint64_t number;
    struct cursor code;
    return uleb(s, &number) && expression(s, &code) &&
           column_set(s, number, kind,
                      unwind_expressions_add(s->expressions, code.at, cursor_room(&code)));
}

/* ---- the CFA */

static bool cfa_set(struct state *s, enum cfa_kind kind, uint64_t number, int64_t value)
{
    if (number >= UNWIND_REGISTERS || value > INT32_MAX || value < INT32_MIN)
        return false;
    s->now.cfa = (uint8_t)kind;
    s->now.cfa_register = (uint8_t)number;
    s->now.number = (int32_t)value;
    return true;
}

static bool cfa_offset(struct state *s, bool is_signed)
{
    int64_t value;
    return s->now.cfa == CFA_REGISTER && offset(s, is_signed, is_signed, &value) &&
           cfa_set(s, CFA_REGISTER, s->now.cfa_register, value);
}

static bool cfa_register_offset(struct state *s, bool is_signed)
{
    uint64_t number;
    int64_t value;
    return uleb(s, &number) && offset(s, is_signed, is_signed, &value) &&
           cfa_set(s, CFA_REGISTER, number, value);
}

/* Linkers describe a whole PLT with one expression: rsp + 8 + ((rip & 15) >= N) * 8. */
static bool is_plt(const struct cursor *code, int64_t *ret_threshold)
{
    static const uint8_t form[] = {DW_OP_breg7, 8, DW_OP_breg16, 0,          DW_OP_lit15,
                                   DW_OP_and,   0, DW_OP_ge,     DW_OP_lit3, DW_OP_shl,
                                   DW_OP_plus};
    if (cursor_room(code) != sizeof form)
        return false;
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] && code->at[i] != form[i])
            return false;
    *ret_threshold = code->at[6] - DW_OP_lit0;
    return code->at[3] == 0 && *ret_threshold >= 0 && *ret_threshold <= 15;
}

static bool cfa_expression(struct state *s)
{
    struct cursor code;
    int64_t number;
    if (!expression(s, &code))
        return false;
    if (is_plt(&code, &number))
        return cfa_set(s, CFA_PLT, 0, number);
    number = unwind_expressions_add(s->expressions, code.at, cursor_room(&code));
    return cfa_set(s, CFA_EXPRESSION, 0, number);
}

/* ---- places */

static void give(struct state *s)
{
    if (!s->emit || (s->any_given && memcmp(&s->now, &s->given, sizeof s->now) == 0))
        return;
    s->emit(s->closure, (struct svma){s->at}, &s->now);
    s->given = s->now;
    s->any_given = true;
}

/* Changes until here were for what ends here. */
static bool advance(struct state *s, uint64_t to)
{
    if (to < s->at)
        return false;
    if (to > s->at)
        give(s);
    s->at = to;
    return true;
}

static bool advance_by(struct state *s, size_t bytes)
{
    uint64_t distance;
    return code_fixed(&s->code, bytes, false, &distance) &&
           advance(s, s->at + distance * s->cie->code_factor);
}

static bool advance_to(struct state *s)
{
    /* Nobody writes it in linked files but as an absolute address. */
    uint64_t to;
    return (s->cie->encoding & 0x70) == DW_EH_PE_absptr &&
           unwind_pointer(&s->code, s->cie->encoding, (struct svma){0}, &to) && advance(s, to);
}

static bool remember(struct state *s)
{
    if (s->n_remembered == REMEMBERED_MAX)
        return false;
    s->remembered[s->n_remembered++] = s->now;
    return true;
}

static bool recall(struct state *s)
{
    if (!s->n_remembered)
        return false;
    s->now = s->remembered[--s->n_remembered];
    return true;
}

/* ---- instructions */

static bool extended(struct state *s, uint8_t instruction)
{
    uint64_t number;
    int64_t value;
    switch (instruction) {
    case DW_CFA_nop: return true;
    case DW_CFA_set_loc: return advance_to(s);
    case DW_CFA_advance_loc1: return advance_by(s, 1);
    case DW_CFA_advance_loc2: return advance_by(s, 2);
    case DW_CFA_advance_loc4: return advance_by(s, 4);
    case DW_CFA_MIPS_advance_loc8: return advance_by(s, 8);
    case DW_CFA_remember_state: return remember(s);
    case DW_CFA_restore_state: return recall(s);
    case DW_CFA_offset_extended: return column_offset(s, COLUMN_AT, false);
    case DW_CFA_offset_extended_sf: return column_offset(s, COLUMN_AT, true);
    case DW_CFA_val_offset: return column_offset(s, COLUMN_IS, false);
    case DW_CFA_val_offset_sf: return column_offset(s, COLUMN_IS, true);
    case DW_CFA_restore_extended: return uleb(s, &number) && column_restore(s, number);
    case DW_CFA_same_value: return uleb(s, &number) && column_same(s, number);
    case DW_CFA_undefined: return uleb(s, &number) && column_set(s, number, COLUMN_UNDEFINED, 0);
    case DW_CFA_register: return column_register(s);
    case DW_CFA_expression: return column_expression(s, COLUMN_AT_EXPRESSION);
    case DW_CFA_val_expression: return column_expression(s, COLUMN_IS_EXPRESSION);
    case DW_CFA_def_cfa: return cfa_register_offset(s, false);
    case DW_CFA_def_cfa_sf: return cfa_register_offset(s, true);
    case DW_CFA_def_cfa_offset: return cfa_offset(s, false);
    case DW_CFA_def_cfa_offset_sf: return cfa_offset(s, true);
    case DW_CFA_def_cfa_register:
        return s->now.cfa == CFA_REGISTER && uleb(s, &number) &&
               cfa_set(s, CFA_REGISTER, number, s->now.number);
    case DW_CFA_def_cfa_expression: return cfa_expression(s);
    case DW_CFA_GNU_args_size: return uleb(s, &number);
    case DW_CFA_GNU_negative_offset_extended:
        return uleb(s, &number) && offset(s, false, true, &value) &&
               column_set(s, number, COLUMN_AT, (int64_t)(0 - (uint64_t)value));
    default: return false;
    }
}

static bool run(struct state *s, const struct cursor *code)
{
    s->code = *code;
    while (s->code.at < s->code.end) {
        uint8_t byte = *s->code.at++, low = byte & 0x3F;
        int64_t value;
        bool ok;
        switch (byte & 0xC0) {
        case DW_CFA_advance_loc: ok = advance(s, s->at + low * s->cie->code_factor); break;
        case DW_CFA_offset:
            ok = offset(s, false, true, &value) && column_set(s, low, COLUMN_AT, value);
            break;
        case DW_CFA_restore: ok = column_restore(s, low); break;
        default: ok = extended(s, byte);
        }
        if (!ok)
            return false;
    }
    return true;
}

bool unwind_program_run(const struct unwind_entry *entry, const struct unwind_cie *cie,
                        struct unwind_expressions *expressions, unwind_emit *emit, void *closure)
{
    struct state s = {
        .cie = cie, .expressions = expressions, .closure = closure, .at = entry->start.v};
    s.now.signal = cie->signal;
    if (!run(&s, &cie->program)) {
        emit(closure, entry->start, NULL);
        return false;
    }
    s.at = entry->start.v;
    s.initial = s.now;
    s.emit = emit;
    if (!run(&s, &entry->program)) {
        emit(closure, (struct svma){s.at}, NULL);
        return false;
    }
    give(&s);
    return true;
}

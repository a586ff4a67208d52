/* What instructions touch, held to what Zydis says of their operands. */
#include "x86/operands.h"

#include "oracle.h"
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct oracle oracle;

static bool reads(const ZydisDecodedOperand *operand)
{
    return operand->actions & (ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_CONDREAD);
}

static bool writes(const ZydisDecodedOperand *operand)
{
    return operand->actions & (ZYDIS_OPERAND_ACTION_WRITE | ZYDIS_OPERAND_ACTION_CONDWRITE);
}

static uint8_t access_of(const ZydisDecodedOperand *operand)
{
    return (uint8_t)((reads(operand) ? ACCESS_READ : 0) | (writes(operand) ? ACCESS_WRITE : 0));
}

static bool is_string(void)
{
    return oracle.insn.meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static uint8_t number_of(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return 255;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return (uint8_t)(ZydisRegisterGetId(whole) & 15);
}

static bool is_general(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

/* How much further the operand lies than its displacement says. */
static uint8_t unit_of(const ZydisDecodedOperand *operand)
{
    bool is_short = oracle.insn.raw.disp.size == 8 && oracle.insn.raw.disp.value;
    return is_short ? (uint8_t)(operand->mem.disp.value / oracle.insn.raw.disp.value) : 1;
}

/* What the oracle finds, in our words, as far as Zydis tells. */
static void expect(struct operands *ret)
{
    *ret = (struct operands){.base = 255, .index = 255, .mask = 255, .vector = 255};
    for (unsigned i = 0; i < oracle.insn.operand_count; i++) {
        const ZydisDecodedOperand *operand = &oracle.operands[i];
        bool shown = operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && shown && !is_string()) {
            ret->access = operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? 0 : access_of(operand);
            ret->gathers = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
            ret->base = number_of(operand->mem.base);
            ret->index = number_of(operand->mem.index);
            ret->unit = unit_of(operand);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && !is_string() &&
                   (operand->mem.base == ZYDIS_REGISTER_RSP ||
                    operand->mem.base == ZYDIS_REGISTER_RBP)) {
            ret->stack = writes(operand)                                ? STACK_PUSH
                         : oracle.insn.mnemonic == ZYDIS_MNEMONIC_LEAVE ? STACK_LEAVE
                                                                        : STACK_POP;
            ret->stack_bytes = (uint8_t)(operand->size / 8);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                   number_of(operand->mem.base) == 6) {
            ret->source = true;
        } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                   number_of(operand->mem.base) == 7) {
            ret->destination = true;
            ret->destination_access = access_of(operand);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && writes(operand)) {
            ZydisRegister reg = operand->reg.value;
            uint8_t number = number_of(reg);
            ZydisRegisterClass class = ZydisRegisterGetClass(reg);
            bool counts = is_string() && (number == 1 || number == 6 || number == 7);
            if (is_general(reg) && !counts && (shown || number != 4))
                ret->results |= (uint16_t)(1u << number);
            if ((class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM) &&
                oracle.insn.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX && ret->vector == 255) {
                ret->vector = number;
                ret->vector_bytes = class == ZYDIS_REGCLASS_XMM ? 16 : 32;
            }
        }
    }
}

/* Memory that is named, but not accessed. */
static bool is_hint(void)
{
    switch (oracle.insn.meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH: return true;
    default: break;
    }
    switch (oracle.insn.mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_PREFETCHWT1: return true;
    default: return false;
    }
}

/* What we leave out: instructions that few machines have, and what branches count with. */
static bool left_out(void)
{
    switch (oracle.insn.meta.isa_ext) {
    case ZYDIS_ISA_EXT_MPX:
    case ZYDIS_ISA_EXT_KEYLOCKER:
    case ZYDIS_ISA_EXT_KEYLOCKER_WIDE:
    case ZYDIS_ISA_EXT_AMX_TILE: return true;
    default: break;
    }
    switch (oracle.insn.mnemonic) {
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_RDSSPD:
    case ZYDIS_MNEMONIC_RDSSPQ:
    case ZYDIS_MNEMONIC_MOVDIR64B: return true;
    default: return false;
    }
}

static bool same(const struct operands *ours, const struct operands *theirs)
{
    if (ours->access != theirs->access || ours->stack != theirs->stack ||
        ours->results != theirs->results || ours->vector != theirs->vector ||
        ours->gathers != theirs->gathers || ours->source != theirs->source ||
        ours->destination != theirs->destination)
        return false;
    if (ours->stack && ours->stack_bytes != theirs->stack_bytes)
        return false;
    if (ours->destination && ours->destination_access != theirs->destination_access)
        return false;
    if (ours->vector != VECTOR_NONE && ours->vector_bytes < theirs->vector_bytes)
        return false;
    if (ours->access && ours->unit != theirs->unit && ours->unit)
        return false;
    return !ours->access || (ours->base == theirs->base && ours->index == theirs->index);
}

static uint64_t compared, failures, units_seen;

static void show(const char *who, const struct operands *o)
{
    print_message(
        "  %s: access %u stack %u/%u strings %d%d/%u gathers %d base %u index %u results %x "
        "vector %u/%u unit %u\n",
        who, o->access, o->stack, o->stack_bytes, o->source, o->destination, o->destination_access,
        o->gathers, o->base, o->index, o->results, o->vector, o->vector_bytes, o->unit);
}

static void compare(const uint8_t *bytes, const struct insn *insn)
{
    struct operands ours, theirs;
    insn_operands(insn, bytes, &ours);
    expect(&theirs);
    compared++;
    units_seen += ours.access && ours.unit > 1 && ours.unit == theirs.unit;
    if (is_hint())
        theirs.access = ACCESS_NONE;
    if (left_out() || same(&ours, &theirs))
        return;
    failures++;
    static bool seen[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    if (!seen[oracle.insn.mnemonic]) {
        seen[oracle.insn.mnemonic] = true;
        ZydisFormatter formatter;
        char text[128] = "";
        ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
        ZydisFormatterFormatInstruction(&formatter, &oracle.insn, oracle.operands,
                                        oracle.insn.operand_count_visible, text, sizeof text, 0,
                                        NULL);
        print_message("%s (space %u map %u opcode %02x prefixes %02x modrm %02x)\n", text,
                      insn->space, insn->map, insn->opcode, insn->prefixes, insn->modrm);
        show("ours", &ours);
        show("theirs", &theirs);
    }
}

static void compare_text(const char *path, uint64_t most)
{
    struct text text;
    if (!(path ? text_open(&text, path) : text_open_libc(&text))) {
        print_message("%s: not here\n", path ? path : "libc");
        return;
    }
    compared = 0;
    for (size_t at = 0; at + 16 < text.size && compared < most;) {
        struct insn insn;
        if (!insn_decode(text.bytes + at, text.size - at, &insn)) {
            at++;
            continue;
        }
        if (insn.class != INSN_REFUSED && oracle_decode(&oracle, text.bytes + at, text.size - at))
            compare(text.bytes + at, &insn);
        at += insn.length;
    }
    print_message("%s: %lu instructions, %lu differ\n", path ? path : "libc", compared, failures);
    text_close(&text);
}

static void real_code(void **state)
{
    (void)state;
    static const char *const paths[] = {
        NULL,
        "/lib/x86_64-linux-gnu/libm.so.6",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/bin/git",
        "/usr/bin/python3",
    };
    failures = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        compare_text(paths[i], getenv("GAIT_LONG") ? UINT64_MAX : 200000);
    assert_int_equal(failures, 0);
}

/* Every opcode of every map with every mandatory prefix, with memory and with registers. */
static void one(const uint8_t *start, size_t n, uint8_t opcode, uint8_t modrm)
{
    uint8_t bytes[32] = {0};
    memcpy(bytes, start, n);
    bytes[n] = opcode;
    bytes[n + 1] = modrm;
    bytes[n + 2] = 0x4B;
    bytes[n + 3] = 0x10;
    struct insn insn;
    if (insn_decode(bytes, sizeof bytes, &insn) && insn.class != INSN_REFUSED &&
        oracle_decode(&oracle, bytes, sizeof bytes) && oracle.insn.length == insn.length)
        compare(bytes, &insn);
}

static void all_modrm(const uint8_t *start, size_t n)
{
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned modrm = 0; modrm < 256; modrm++)
            one(start, n, (uint8_t)opcode, (uint8_t)modrm);
}

static void legacy_map(const char *escape, size_t n)
{
    static const uint8_t prefixes[4] = {0, 0x66, 0xF3, 0xF2}, rexes[] = {0, 0x40, 0x4F};
    for (unsigned p = 0; p < 4; p++)
        for (unsigned r = 0; r < sizeof rexes; r++) {
            uint8_t start[8];
            size_t at = 0;
            if (prefixes[p])
                start[at++] = prefixes[p];
            if (rexes[r])
                start[at++] = rexes[r];
            memcpy(start + at, escape, n);
            all_modrm(start, at + n);
        }
}

static void every_opcode(void **state)
{
    (void)state;
    failures = compared = 0;
    legacy_map("", 0);
    legacy_map("\x0F", 1);
    legacy_map("\x0F\x38", 2);
    legacy_map("\x0F\x3A", 2);
    for (unsigned map = 1; map <= 3; map++)
        for (unsigned pp = 0; pp < 4; pp++)
            for (unsigned l = 0; l < 8; l += 4)
                for (unsigned w = 0; w < 256; w += 128) {
                    all_modrm(
                        (uint8_t[]){0xC4, (uint8_t)(0xE0 | map), (uint8_t)(0x58 | w | l | pp)}, 3);
                    all_modrm((uint8_t[]){0xC4, (uint8_t)map, (uint8_t)(0x78 | w | l | pp)}, 3);
                }
    for (unsigned i = 0; i < 3 * 4 * 2 * 3 * 2; i++) { /* W, L and broadcasts of EVEX */
        unsigned map = 1 + i % 3, pp = i / 3 % 4, w = i / 12 % 2, l = i / 24 % 3, b = i / 72;
        all_modrm((uint8_t[]){0x62, (uint8_t)(0xF0 | map), (uint8_t)(0x7C | w << 7 | pp),
                              (uint8_t)(0x09 | l << 5 | b << 4)},
                  4);
    }
    assert_true(units_seen > 4000);
    print_message("%lu encodings, %lu differ\n", compared, failures);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_code),
        cmocka_unit_test(every_opcode),
    };
    oracle_init(&oracle);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

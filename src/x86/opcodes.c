#include "x86/opcodes.h"

/* clang-format off */

/* Cells of the tables: P plain, M with ModRM; a number: immediate bytes; Z: 2 or 4. */
#define NO          {0, 0, 0, 0}
#define P           {WITH_ANY, HAS_NOTHING, 0, 0}
#define P8          {WITH_ANY, HAS_8, 0, 0}
#define PZ          {WITH_ANY, HAS_Z, 0, 0}
#define PV          {WITH_ANY, HAS_V, 0, 0}
#define PA          {WITH_ANY, HAS_ADDRESS, 0, 0}
#define M           {WITH_ANY, HAS_MODRM, 0, 0}
#define M8          {WITH_ANY, HAS_MODRM | HAS_8, 0, 0}
#define MZ          {WITH_ANY, HAS_MODRM | HAS_Z, 0, 0}
#define PREFIX      {0, HAS_PREFIX, 0, 0}
#define G(has, group) {WITH_ANY, HAS_MODRM | (has), 0, GROUP_##group}
#define BRANCH(has, class) {WITH_ANY, has, VERDICT(class, REFUSAL_NONE), 0}
#define ESCAPE      {0, HAS_ESCAPE, 0, 0}
#define R(has, why) {WITH_ANY, has, REFUSE(why), 0}
/* Vector instructions: the digit is the set of prefixes, as in the tables below. */
#define V(with)     {0x##with, HAS_MODRM, 0, 0}
#define V8(with)    {0x##with, HAS_MODRM | HAS_8, 0, 0}
#define VM(with)    {0x##with, HAS_MODRM | HAS_MEMORY, 0, 0}
#define VR(with)    {0x##with, HAS_MODRM | HAS_NO_MEMORY, 0, 0}

#define ARITHMETIC  M, M, M, M, P8, PZ
#define FOUR(...)   __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define EIGHT(...)  FOUR(__VA_ARGS__), FOUR(__VA_ARGS__)
#define JCC(has)    BRANCH(has, INSN_COND)
#define LOOP        BRANCH(HAS_8, INSN_COUNT_COND)

const struct opcode opcodes_one_byte[256] = {
    /* 00 */ ARITHMETIC, NO, NO, ARITHMETIC, NO, ESCAPE,
    /* 10 */ ARITHMETIC, NO, NO, ARITHMETIC, NO, NO,
    /* 20 */ ARITHMETIC, PREFIX, NO, ARITHMETIC, PREFIX, NO,
    /* 30 */ ARITHMETIC, PREFIX, NO, ARITHMETIC, PREFIX, NO,
    /* 40 */ EIGHT(PREFIX), EIGHT(PREFIX),
    /* 50 */ EIGHT(P), EIGHT(P),
    /* 60 */ NO, NO, ESCAPE, M, PREFIX, PREFIX, PREFIX, PREFIX,
    /* 68 */ PZ, MZ, P8, M8, FOUR(R(HAS_NOTHING, TRAP)),
    /* 70 */ EIGHT(JCC(HAS_8)), EIGHT(JCC(HAS_8)),
    /* 80 */ M8, MZ, NO, M8, M, M, M, M,
    /* 88 */ M, M, M, M, G(0, FROM_SEG), VM(F), G(0, TO_SEG), ESCAPE,
    /* 90 */ EIGHT(P),
    /* 98 */ P, P, NO, P, P, P, P, P,
    /* A0 */ FOUR(PA), FOUR(P),
    /* A8 */ P8, PZ, P, P, FOUR(P),
    /* B0 */ EIGHT(P8), EIGHT(PV),
    /* C0 */ M8, M8, BRANCH(HAS_16, INSN_RETURN), BRANCH(0, INSN_RETURN),
    /* C4 */ ESCAPE, ESCAPE, G(HAS_8, MOVE), G(HAS_Z, MOVE),
    /* C8 */ {WITH_ANY, HAS_16_8, 0, 0}, P, R(HAS_16, FAR), R(0, FAR),
    /* CC */ R(0, TRAP), R(HAS_8, TRAP), NO, R(0, FAR),
    /* D0 */ M, M, M, M, NO, NO, NO, P,
    /* D8 */ EIGHT(G(0, X87)),
    /* E0 */ FOUR(LOOP), FOUR(R(HAS_8, TRAP)),
    /* E8 */ BRANCH(HAS_32, INSN_CALL), BRANCH(HAS_32, INSN_JUMP), NO, BRANCH(HAS_8, INSN_JUMP),
    /* EC */ FOUR(R(0, TRAP)),
    /* F0 */ PREFIX, R(0, TRAP), PREFIX, PREFIX, R(0, TRAP), P,
    /* F6 */ {WITH_ANY, HAS_MODRM | HAS_TEST_8, 0, 0}, {WITH_ANY, HAS_MODRM | HAS_TEST_Z, 0, 0},
    /* F8 */ P, P, R(0, TRAP), R(0, TRAP), P, P, G(0, INC), G(0, FF),
};

const struct opcode opcodes_0f[256] = {
    /* 00 */ G(0, SYSTEM_00), G(0, SYSTEM_01), M, M,
    /* 04 */ NO, {WITH_ANY, 0, INSN_SYSCALL, 0}, R(0, TRAP), R(0, FAR),
    /* 08 */ R(0, TRAP), R(0, TRAP), NO, R(0, TRAP), NO, M, P, G(HAS_8, 3DNOW),
    /* 10 */ V(F), V(F), {0xF, HAS_MODRM, 0, GROUP_MEMORY_66}, VM(3),
    /* 14 */ V(3), V(3), {0x7, HAS_MODRM, 0, GROUP_MEMORY_66}, VM(3),
    /* 18 */ M, M, M, M, M, M, G(0, HINT_1E), M,
    /* 20 */ FOUR(R(HAS_MODRM | HAS_REGISTERS, TRAP)), FOUR(NO),
    /* 28 */ V(3), V(3), V(F), VM(F), V(F), V(F), V(3), V(3),
    /* 30 */ R(0, TRAP), P, R(0, TRAP), P, R(0, FAR), R(0, FAR), NO, R(0, TRAP),
    /* 38 */ EIGHT(NO),
    /* 40 */ EIGHT(M), EIGHT(M),
    /* 50 */ VR(3), V(F), V(5), V(5), V(3), V(3), V(3), V(3),
    /* 58 */ V(F), V(F), V(F), V(7), V(F), V(F), V(F), V(F),
    /* 60 */ EIGHT(V(3)), FOUR(V(3)), V(2), V(2), V(3), V(7),
    /* 70 */ V8(F), {3, HAS_MODRM | HAS_8, 0, GROUP_SHIFT}, {3, HAS_MODRM | HAS_8, 0, GROUP_SHIFT},
    /* 73 */ {3, HAS_MODRM | HAS_8, 0, GROUP_SHIFT_73}, V(3), V(3), V(3), {WITH_NONE, 0, 0, 0},
    /* 78 */ {0xB, HAS_MODRM | HAS_VMREAD_8, 0, GROUP_VMREAD}, {0xB, HAS_MODRM, 0, GROUP_VMREAD},
    /* 7A */ NO, NO, V(A), V(A), V(7), V(7),
    /* 80 */ EIGHT(JCC(HAS_32)), EIGHT(JCC(HAS_32)),
    /* 90 */ EIGHT(M), EIGHT(M),
    /* A0 */ P, R(0, FAR), P, M, M8, M, NO, NO,
    /* A8 */ P, R(0, FAR), R(0, TRAP), M, M8, M, G(0, STATE), M,
    /* B0 */ M, M, R(HAS_MODRM, FAR), M, R(HAS_MODRM, FAR), R(HAS_MODRM, FAR), M, M,
    /* B8 */ V(4), R(HAS_MODRM, TRAP), G(HAS_8, BIT), M, M, M, M, M,
    /* C0 */ M, M, V8(F), VM(1), V8(3), {3, HAS_MODRM | HAS_NO_MEMORY | HAS_8, 0, 0}, V8(3),
    /* C7 */ G(0, CMPXCHG8B), EIGHT(P),
    /* D0 */ V(A), V(3), V(3), V(3), V(3), V(3), {0xE, HAS_MODRM, 0, GROUP_0FD6}, VR(3),
    /* D8 */ EIGHT(V(3)),
    /* E0 */ FOUR(V(3)), V(3), V(3), V(E), VM(3),
    /* E8 */ EIGHT(V(3)),
    /* F0 */ VM(8), V(3), V(3), V(3), V(3), V(3), V(3), VR(3),
    /* F8 */ FOUR(V(3)), V(3), V(3), V(3), R(HAS_MODRM, TRAP),
};

/* One row is 16 opcodes, the leftmost digit the first; the digit is a WITH_ set: 1 without a
 * mandatory prefix, 2 with 66, 4 with F3, 8 with F2. No pointers between the tables: the agent
 * may live where nobody relocates them. */
enum {
    NO_MAP, LEGACY_0F38, LEGACY_0F3A, VEX_0F, VEX_0F38, VEX_0F3A, EVEX_0F, EVEX_0F38, EVEX_0F3A,
    EVEX_5, EVEX_6, XOP_8, XOP_9, XOP_A, N_MAPS
};

static const uint64_t sets[N_MAPS][16] = {
    [LEGACY_0F38] = {
        [0x0] = 0x3333333333330000, [0x1] = 0x2000220200003330, [0x2] = 0x2222220022220000,
        [0x3] = 0x2222220222222222, [0x4] = 0x2200000000000000, [0x8] = 0x2220000000000000,
        [0xC] = 0x0000000011111102, [0xD] = 0x0000000040026666, [0xF] = 0xBB000270E144F000,
    },
    [LEGACY_0F3A] = {
        [0x0] = 0x0000000022222223, [0x1] = 0x0000222200000000, [0x2] = 0x2220000000000000,
        [0x4] = 0x2220200000000000, [0x6] = 0x2222000000000000, [0xC] = 0x0000000000001022,
        [0xD] = 0x0000000000000002, [0xF] = 0x4000000000000000,
    },
    [VEX_0F] = {
        [0x1] = 0xFFF3337300000000, [0x2] = 0x0000000033C3CC33, [0x4] = 0x0330333300330000,
        [0x5] = 0x3F553333FFF7FFFF, [0x6] = 0x2222222222222226, [0x7] = 0xE22222210000AA66,
        [0x9] = 0x33BB000033000000, [0xA] = 0x0000000000000010, [0xC] = 0x00F0223000000000,
        [0xD] = 0xA222222222222222, [0xE] = 0x222222E222222222, [0xF] = 0x8222222222222220,
    },
    [VEX_0F38] = {
        [0x0] = 0x2222222222222222, [0x1] = 0x0002002222202220, [0x2] = 0x2222220022222222,
        [0x3] = 0x2222222222222222, [0x4] = 0x220002220B0E0000, [0x5] = 0xFF2200002220C0F0,
        [0x6] = 0x0000000000003000, [0x7] = 0x0040000022000000, [0x8] = 0x0000000000002020,
        [0x9] = 0x2222002222222222, [0xA] = 0x0000002222222222, [0xB] = 0xF600222222222222,
        [0xC] = 0x0000000000088802, [0xD] = 0x0077000000F22222, [0xE] = 0x2222222222222222,
        [0xF] = 0x00110D8F00000000,
    },
    [VEX_0F3A] = {
        [0x0] = 0x2220222022222222, [0x1] = 0x0000222222000200, [0x2] = 0x2220000000000000,
        [0x3] = 0x2222000022000000, [0x4] = 0x2220202022222000, [0x5] = 0x0000000000002222,
        [0x6] = 0x2222000022222222, [0x7] = 0x0000000022222222, [0xC] = 0x0000000000000022,
        [0xD] = 0x0000000000000022, [0xF] = 0x8000000000000000,
    },
    [EVEX_0F] = {
        [0x1] = 0xFFF3337300000000, [0x2] = 0x0000000033C3CC33, [0x5] = 0x0F003333FFF7FFFF,
        [0x6] = 0x222222222222222E, [0x7] = 0xE2222220FFEE006E, [0xC] = 0x00F0223000000000,
        [0xD] = 0x0222222022222222, [0xE] = 0x222222E222222222, [0xF] = 0x0222222022222220,
    },
    [EVEX_0F38] = {
        [0x0] = 0x2000200000022200, [0x1] = 0x6666662022222222, [0x2] = 0x6666666666622200,
        [0x3] = 0x6666662266622222, [0x4] = 0x2022222200002222, [0x5] = 0x22EA220022220000,
        [0x6] = 0x0022222080000000, [0x7] = 0x22E2022222222222, [0x8] = 0x0002000022220202,
        [0x9] = 0x2222002222AA2222, [0xA] = 0x2222002222AA2222, [0xB] = 0x0000222222222222,
        [0xC] = 0x0000202220222202, [0xD] = 0x0000000000002222,
    },
    [EVEX_0F3A] = {
        [0x0] = 0x2202220032320002, [0x1] = 0x0000222222220222, [0x2] = 0x2222023300000000,
        [0x3] = 0x0000000022220022, [0x4] = 0x0022200000000000, [0x5] = 0x2200223300000000,
        [0x6] = 0x0000003300000000, [0x7] = 0x2222000000000000, [0xC] = 0x0050000000000022,
    },
    [EVEX_5] = {
        [0x1] = 0x4400000000000300, [0x2] = 0x0000000000404411, [0x5] = 0x0500000055F75555,
        [0x6] = 0x0000000000000020, [0x7] = 0x0000000077A63F20,
    },
    [EVEX_6] = {
        [0x1] = 0x0003000000000000, [0x2] = 0x0000000000002200, [0x4] = 0x0022000000002222,
        [0x5] = 0x000000CC00000000, [0x9] = 0x0000002222222222, [0xA] = 0x0000002222222222,
        [0xB] = 0x0000002222222222, [0xD] = 0x000000CC00000000,
    },
    [XOP_8] = {
        [0x8] = 0x0000011100000011, [0x9] = 0x0000011100000011, [0xA] = 0x0011001000000000,
        [0xB] = 0x0000001000000000, [0xC] = 0x1111000000001111, [0xE] = 0x0000000000001111,
    },
    [XOP_9] = {
        [0x0] = 0x0110000000000000, [0x1] = 0x0010000000000000, [0x8] = 0x1111000000000000,
        [0x9] = 0x1111111111110000, [0xC] = 0x0111001100010000, [0xD] = 0x0111001100010000,
        [0xE] = 0x0111000000000000,
    },
    [XOP_A] = {[0x1] = 0x1010000000000000},
};

static const uint8_t map_sets[4][12] = {
    [SPACE_LEGACY] = {[2] = LEGACY_0F38, [3] = LEGACY_0F3A},
    [SPACE_VEX] = {[1] = VEX_0F, [2] = VEX_0F38, [3] = VEX_0F3A},
    [SPACE_EVEX] = {[1] = EVEX_0F, [2] = EVEX_0F38, [3] = EVEX_0F3A, [5] = EVEX_5, [6] = EVEX_6},
    [SPACE_XOP] = {[8] = XOP_8, [9] = XOP_9, [10] = XOP_A},
};
/* clang-format on */

unsigned opcodes_with(unsigned space, unsigned map, unsigned opcode)
{
    unsigned set = map < 12 ? map_sets[space][map] : NO_MAP;
    return sets[set][opcode >> 4] >> (60 - 4 * (opcode & 15)) & 15;
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "x86/writes_r11.h"

#include "oracle.h"

static struct oracle oracle;
static unsigned long compared, written, more, missed;

static bool oracle_writes_r11(void)
{
    for (unsigned i = 0; i < oracle.insn.operand_count; i++) {
        const ZydisDecodedOperand *operand = &oracle.operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) ==
                ZYDIS_REGISTER_R11)
            return true;
    }
    return false;
}

static void compare(const uint8_t *bytes, size_t room)
{
    struct insn insn;
    if (!insn_decode(bytes, room, &insn) || insn.class != INSN_PLAIN ||
        !oracle_decode(&oracle, bytes, room) || oracle.insn.length != insn.length)
        return;
    bool writes = oracle_writes_r11(), ours = insn_writes_r11(&insn);
    compared++;
    written += writes;
    more += ours && !writes;
    if (writes && !ours && missed++ < 10)
        print_message("%s, %02x %02x %02x %02x %02x writes %%r11\n",
                      ZydisMnemonicGetString(oracle.insn.mnemonic), bytes[0], bytes[1], bytes[2],
                      bytes[3], bytes[4]);
}

static void all_opcodes(const uint8_t *start, size_t n)
{
    uint8_t bytes[INSN_ROOM] = {0};
    memcpy(bytes, start, n);
    for (unsigned opcode = 0; opcode < 256; opcode++)
        for (unsigned modrm = 0; modrm < 256; modrm++) {
            bytes[n] = (uint8_t)opcode;
            bytes[n + 1] = (uint8_t)modrm;
            bytes[n + 2] = 0x4b; /* a SIB, or what follows */
            compare(bytes, sizeof bytes);
        }
}

static void legacy(void **state)
{
    static const uint8_t prefixes[] = {0x66, 0xf3, 0xf2}, rexes[] = {0x41, 0x44, 0x45, 0x4f};
    static const char *const escapes[] = {"", "\x0f", "\x0f\x38", "\x0f\x3a"};
    (void)state;
    for (unsigned p = 0; p < 4; p++)
        for (unsigned r = 0; r < sizeof rexes; r++)
            for (unsigned e = 0; e < 4; e++) {
                uint8_t start[8];
                size_t n = 0;
                if (p)
                    start[n++] = prefixes[p - 1];
                start[n++] = rexes[r];
                memcpy(start + n, escapes[e], strlen(escapes[e]));
                all_opcodes(start, n + strlen(escapes[e]));
            }
    assert_int_equal(missed, 0);
    assert_true(written > 10000);
}

/* Register bits and vvvv that make each field 11. */
static void vectors(void **state)
{
    (void)state;
    for (unsigned map = 1; map <= 3; map++)
        for (unsigned pp = 0; pp < 8; pp++) {
            const uint8_t vex[] = {0xc4, (uint8_t)map,
                                   (uint8_t)((pp & 4) << 5 | (15 - 11) << 3 | (pp & 3))};
            all_opcodes(vex, sizeof vex);
        }
    for (unsigned map = 1; map <= 6; map++)
        for (unsigned pp = 0; pp < 8; pp++) {
            const uint8_t evex[] = {0x62, (uint8_t)(0x10 | map),
                                    (uint8_t)((pp & 4) << 5 | (15 - 11) << 3 | 4 | (pp & 3)), 0x08};
            all_opcodes(evex, sizeof evex);
        }
    assert_int_equal(missed, 0);
}

static void any_bytes(void **state)
{
    (void)state;
    srand(1);
    for (unsigned i = 0; i < 1000000; i++) {
        uint8_t bytes[INSN_ROOM];
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(rand() >> 8);
        bytes[0] = i & 1 ? bytes[0] : (uint8_t)(0x40 | (bytes[0] & 15));
        compare(bytes, sizeof bytes);
    }
    print_message("%lu instructions: %lu write %%r11, of %lu more we do not know\n", compared,
                  written, more);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy),
        cmocka_unit_test(vectors),
        cmocka_unit_test(any_bytes),
    };
    oracle_init(&oracle);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

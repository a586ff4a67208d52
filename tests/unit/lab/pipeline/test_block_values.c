/* What the interpreter of blocks makes of instructions that this processor then runs itself, from
 * the same registers. */
#include "lab/pipeline/block_values.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

enum { CODE_BYTES = 4096 };

/* rdi: 14 registers, rax first, without rsp and rbp; they are loaded, the instruction runs, and
 * they are stored again. */
static const uint8_t load_all[] = {0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, /* push */
                                   0x57, 0x48, 0x8b, 0x07,                               /* rax */
                                   0x48, 0x8b, 0x4f, 0x08, 0x48, 0x8b, 0x57, 0x10,  /* rcx rdx */
                                   0x48, 0x8b, 0x5f, 0x18, 0x48, 0x8b, 0x77, 0x30}; /* rbx rsi */
static const uint8_t store_all[] = {0x5f, 0x48, 0x89, 0x07, 0x48, 0x89, 0x4f, 0x08, 0x48, 0x89,
                                    0x57, 0x10, 0x48, 0x89, 0x5f, 0x18, 0x48, 0x89, 0x77, 0x30,
                                    0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0xc3};

static void native(uint8_t *code, const uint8_t *bytes, size_t n, uint64_t registers[16])
{
    void (*run)(uint64_t *);
    memcpy(code, load_all, sizeof load_all);
    memcpy(code + sizeof load_all, bytes, n);
    memcpy(code + sizeof load_all + n, store_all, sizeof store_all);
    memcpy(&run, &code, sizeof run);
    run(registers);
}

static void registers_are_what_the_processor_makes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } cases[] = {
#define CASE(text) {text, sizeof(text) - 1}
        CASE("\x48\x01\xd8"),                         /* add rax, rbx */
        CASE("\x01\xd8"),                             /* add eax, ebx */
        CASE("\x66\x01\xd8"),                         /* add ax, bx */
        CASE("\x00\xdc"),                             /* add ah, bl */
        CASE("\x48\x29\xd8\x48\x19\xd1"),             /* sub rax, rbx; sbb rcx, rdx */
        CASE("\x48\x01\xd8\x48\x11\xd1"),             /* add; adc */
        CASE("\x48\x31\xd8\x0f\x94\xc1"),             /* xor; setz cl */
        CASE("\x48\x39\xd8\x0f\x4c\xca"),             /* cmp; cmovl ecx, edx */
        CASE("\x48\x39\xd8\x48\x0f\x47\xca"),         /* cmp; cmova rcx, rdx */
        CASE("\x48\x85\xc0\x48\x0f\x48\xca"),         /* test; cmovs rcx, rdx */
        CASE("\x48\xff\xc0\x0f\x92\xc1"),             /* inc rax; setb cl: carry stays */
        CASE("\x48\xf7\xd8\x0f\x96\xc1"),             /* neg; setbe cl */
        CASE("\x48\xc1\xe0\x05\x48\xc1\xfb\x07"),     /* shl rax, 5; sar rbx, 7 */
        CASE("\xc1\xe8\x05\xc1\xcb\x07"),             /* shr eax, 5; ror ebx, 7 */
        CASE("\x48\x0f\xaf\xc3\x6b\xca\x19"),         /* imul rax, rbx; imul ecx, edx, 25 */
        CASE("\x48\x8d\x44\x98\x11"),                 /* lea rax, [rax+rbx*4+17] */
        CASE("\x48\x98\x48\x99"),                     /* cdqe; cqo */
        CASE("\x0f\xb6\xc4\x48\x0f\xbe\xcb"),         /* movzx eax, ah; movsx rcx, bl */
        CASE("\x31\xd2\x48\x83\xcb\x03\x48\xf7\xf3"), /* xor edx, edx; or rbx, 3; div rbx */
        CASE("\x99\x83\xcb\x03\xf7\xfb"),             /* cdq; or ebx, 3; idiv ebx */
    };
    static const uint64_t starts[][5] = {
        {1, 2, 3, 4, 5},
        {0x8000000000000000, 7, 0x7fffffffffffffff, 1, 0},
        {0xffffffffffffffff, 0x80, 0xff00, 0x12345678, 9},
        {0x123456789abcdef0, 0xfedcba9876543210, 3, 0xdeadbeef, 1}};
    uint8_t *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
            static struct block_values values;
            uint64_t registers[16] = {starts[s][0], starts[s][1], starts[s][2], starts[s][3], 0, 0,
                                      starts[s][4]};
            block_values_init(&values, 0);
            memcpy(values.registers, registers, sizeof registers);
            const uint8_t *bytes = (const uint8_t *)cases[c].bytes;
            for (size_t at = 0; at < cases[c].n;) {
                ZydisDecodedInstruction instruction;
                ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
                uint64_t address;
                uint8_t bits;
                assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(
                    &decoder, bytes + at, cases[c].n - at, &instruction, operands)));
                block_values_step(&values, &instruction, operands, at, &address, &bits);
                at += instruction.length;
            }
            native(code, bytes, cases[c].n, registers);
            for (int r = 0; r < 7; r++)
                if (r != 4 && r != 5 && values.registers[r] != registers[r])
                    fail_msg("case %zu from %zu: register %d is %lx, should be %lx", c, s, r,
                             values.registers[r], registers[r]);
        }
    munmap(code, CODE_BYTES);
}

static void step(struct block_values *values, const char *bytes, size_t n, uint64_t *address,
                 uint8_t *bits)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &instruction, operands)));
    block_values_step(values, &instruction, operands, 0x400000, address, bits);
}

/* Memory is one frame everywhere: what is stored in one page is loaded from another. */
static void pages_are_one_frame(void **state)
{
    (void)state;
    static struct block_values values;
    uint64_t address;
    uint8_t bits;
    block_values_init(&values, 0x10000000);
    step(&values, "\x50", 1, &address, &bits); /* push rax */
    assert_int_equal(address, 0x0ffffff8);
    assert_int_equal(values.registers[4], 0x0ffffff8);
    values.registers[0] = 77;
    step(&values, "\x48\x89\x43\x10", 4, &address, &bits); /* mov [rbx+16], rax */
    values.registers[3] += 5 * 4096;
    step(&values, "\x48\x8b\x4b\x10", 4, &address, &bits); /* mov rcx, [rbx+16] */
    assert_int_equal(values.registers[1], 77);
    step(&values, "\x48\x8b\x15\x04\x00\x00\x00", 7, &address, &bits); /* mov rdx, [rip+4] */
    assert_int_equal(address, 0x40000b);
    step(&values, "\x5a", 1, &address, &bits); /* pop rdx */
    assert_int_equal(values.registers[2], 0x10000000);
    /* 100 / 3 has six bits. */
    values.registers[0] = 100;
    values.registers[2] = 0;
    values.registers[3] = 3;
    step(&values, "\x48\xf7\xf3", 3, &address, &bits);
    assert_int_equal(bits, 6);
}

/* Strings go on by what they move; xchg, bits and products are followed. */
static void more_is_followed(void **state)
{
    (void)state;
    static struct block_values values;
    uint64_t address;
    uint8_t bits;
    block_values_init(&values, 0x10000000);
    step(&values, "\xab", 1, &address, &bits); /* stosd */
    assert_int_equal(address, 0x10000000);
    assert_int_equal(values.registers[7], 0x10000004);
    values.registers[0] = 0x50;
    step(&values, "\x93", 1, &address, &bits); /* xchg eax, ebx */
    assert_int_equal(values.registers[3], 0x50);
    step(&values, "\xf3\x48\x0f\xbc\xc3", 5, &address, &bits); /* tzcnt rax, rbx */
    assert_int_equal(values.registers[0], 4);
    step(&values, "\xf3\x48\x0f\xb8\xc3", 5, &address, &bits); /* popcnt rax, rbx */
    assert_int_equal(values.registers[0], 2);
    step(&values, "\xc4\xe2\xe1\xf7\xcb", 5, &address, &bits); /* shlx rcx, rbx, rbx */
    assert_int_equal(values.registers[1], 0x50ull << (0x50 & 63));
    values.registers[0] = 1ull << 63;
    step(&values, "\x48\xf7\xe3", 3, &address, &bits); /* mul rbx */
    assert_int_equal(values.registers[2], 0x28);
    assert_int_equal(values.registers[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_what_the_processor_makes),
        cmocka_unit_test(pages_are_one_frame),
        cmocka_unit_test(more_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

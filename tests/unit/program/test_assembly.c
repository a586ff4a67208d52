#include "program/insn/assembly.h"

#include "base/err.h"
#include "program/binary.h"
#include "program/insn/disasm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Never run. Each is written as the text that must come back. */
#define LINES(LINE)                                                                                \
    LINE("push %rbx")                                                                              \
    LINE("mov $0x3e8, %ebx")                                                                       \
    LINE("lea 0x8(%rdi,%rsi,4), %rax")                                                             \
    LINE("mov %fs:0x28, %rax")                                                                     \
    LINE("test $0x3, %bl")                                                                         \
    LINE("vaddps %ymm1, %ymm2, %ymm3")                                                             \
    LINE("lock cmpxchg %rcx, (%rdx)")                                                              \
    LINE("call *%rbp")                                                                             \
    LINE("jmp *0x10(%rax,%rcx,8)")                                                                 \
    LINE("movslq (%rdx,%rax,4), %rax")                                                             \
    LINE("movslq %ecx, %rax")                                                                      \
    LINE("movsbl 0x1(%rdi), %eax")                                                                 \
    LINE("movsbq %al, %rdx")                                                                       \
    LINE("movswl %ax, %ecx")                                                                       \
    LINE("movzbl (%rdi), %eax")                                                                    \
    LINE("movzwl %ax, %eax")                                                                       \
    LINE("movzwq (%rax), %rcx")                                                                    \
    LINE("movl $0x1, (%rax)")                                                                      \
    LINE("movq $0x1, (%rax)")                                                                      \
    LINE("movb $0x1, (%rax)")                                                                      \
    LINE("movw $0x1, (%rax)")                                                                      \
    LINE("addl $0x1, 0x8(%rax)")                                                                   \
    LINE("shll %cl, (%rax)")                                                                       \
    LINE("sarq $0x3, (%rax)")                                                                      \
    LINE("negq (%rax)")                                                                            \
    LINE("divl 0x8(%rcx)")                                                                         \
    LINE("incl (%rax)")                                                                            \
    LINE("btl $0x3, (%rax)")                                                                       \
    LINE("lock decl (%rax)")                                                                       \
    LINE("movsd (%rax), %xmm1")                                                                    \
    LINE("movss (%rax), %xmm1")                                                                    \
    LINE("movq 0x10(%r12), %xmm1")                                                                 \
    LINE("movd 0x10(%r15), %xmm2")                                                                 \
    LINE("movhps %xmm0, 0x10(%rax)")                                                               \
    LINE("movdqu (%rax), %xmm0")                                                                   \
    LINE("vmovdqu64 (%rsi), %ymm17")                                                               \
    LINE("vmovups (%rsi), %zmm0")                                                                  \
    LINE("vbroadcasti128 (%rax), %ymm11")                                                          \
    LINE("vaddsd (%rcx,%rax,8), %xmm0, %xmm0")                                                     \
    LINE("vpinsrd $0x1, (%r10), %xmm0, %xmm0")                                                     \
    LINE("cvtsi2sdl (%rax), %xmm0")                                                                \
    LINE("cvtsi2sd %rax, %xmm0")                                                                   \
    LINE("cvtsi2sdq (%rax), %xmm0")                                                                \
    LINE("rep stosl")                                                                              \
    LINE("rep movsq")                                                                              \
    LINE("rep movsl")                                                                              \
    LINE("cltq")                                                                                   \
    LINE("cqto")                                                                                   \
    LINE("cwtl")                                                                                   \
    LINE("fldt 0x18(%rsp)")                                                                        \
    LINE("flds (%rax)")                                                                            \
    LINE("fldl (%rax)")                                                                            \
    LINE("fstpt (%rdi)")                                                                           \
    LINE("fildl -0x4(%rsp)")                                                                       \
    LINE("fildll -0x8(%rsp)")                                                                      \
    LINE("fistps (%rax)")                                                                          \
    LINE("fld %st(1)")                                                                             \
    LINE("fmul %st(1), %st")                                                                       \
    LINE("fsubp %st, %st(1)")                                                                      \
    LINE("fsubrp %st, %st(2)")                                                                     \
    LINE("fsub %st(1), %st")                                                                       \
    LINE("fsub %st, %st(1)")                                                                       \
    LINE("fdivrp %st, %st(1)")                                                                     \
    LINE("fxch %st(1)")                                                                            \
    LINE("fnstcw (%rsp)")                                                                          \
    LINE("nopl (%rax)")                                                                            \
    LINE("nopw (%rax,%rax,1)")                                                                     \
    LINE("cmove %eax, %ecx")                                                                       \
    LINE("cmovge %eax, %ecx")                                                                      \
    LINE("seta %al")                                                                               \
    LINE("setne (%rax)")                                                                           \
    LINE("crc32b (%rax), %eax")                                                                    \
    LINE("push (%rax)")                                                                            \
    LINE("pop (%rax)")                                                                             \
    LINE("cmpxchg16b (%rax)")                                                                      \
    LINE("prefetcht0 (%rax)")                                                                      \
    LINE("ldmxcsr (%rax)")                                                                         \
    LINE("jmp *(%rax)")                                                                            \
    LINE("call *0x8(%rax)")                                                                        \
    LINE("xchg %rax, (%rdx)")                                                                      \
    LINE("adcx %rax, %rcx")                                                                        \
    LINE("mulx (%rsi), %rax, %r8")                                                                 \
    LINE("nop")                                                                                    \
    LINE("ret")
#define EMIT(text) text "\n"
__asm__(".text\n.globl lines_begin, lines_end, jumps_begin\n.type jumps_begin, @function\n"
        "lines_begin:\n" LINES(
            EMIT) "lines_end:\n"
                  "jumps_begin: jmp lines_begin\ncall lines_end\nlea lines_begin(%rip), %rax\n"
                  ".size jumps_begin, .-jumps_begin\n");
extern const char lines_begin[], lines_end[], jumps_begin[];

static struct binary binary;

/* Addresses of this process and of its file differ by one constant. */
static struct svma linked(const char *at)
{
    for (size_t i = 0; i < binary.symbols.functions.n; i++)
        if (!strcmp(binary.symbols.functions.at[i].name, "jumps_begin"))
            return (struct svma){binary.symbols.functions.at[i].start.v +
                                 (uint64_t)(at - jumps_begin)};
    fail_msg("no symbol");
    return (struct svma){0};
}

static const char *name(void *context, struct svma at)
{
    return at.v == linked(context).v ? "here" : NULL;
}

static void text_is_what_was_assembled(void **state)
{
    (void)state;
#define TEXT(text) text,
    static const char *const wanted[] = {LINES(TEXT)};
    struct svma at = linked(lines_begin);
    char text[256];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct instruction instruction;
        assert_true(disasm_at(&binary.image, at, &instruction));
        assert_true(assembly_text(&binary.image, at, ASSEMBLY_ATT, NULL, NULL, text, sizeof text));
        assert_string_equal(text, wanted[i]);
        at = instruction_next(&instruction);
    }
    assert_true(at.v == linked(lines_end).v);
}

static void addresses_get_names(void **state)
{
    (void)state;
    char text[256], begin[32], wanted[64];
    struct svma at = linked(jumps_begin);
    struct instruction instruction;
    void *target = (void *)(uintptr_t)lines_begin;
    assert_true(assembly_text(&binary.image, at, ASSEMBLY_ATT, name, target, text, sizeof text));
    assert_string_equal(text, "jmp here");
    assert_true(disasm_at(&binary.image, at, &instruction));
    at = instruction_next(&instruction);
    assert_true(assembly_text(&binary.image, at, ASSEMBLY_INTEL, name, target, text, sizeof text));
    snprintf(begin, sizeof begin, "call 0x%lx", linked(lines_end).v);
    assert_string_equal(text, begin);
    assert_true(disasm_at(&binary.image, at, &instruction));
    at = instruction_next(&instruction);
    assert_true(assembly_text(&binary.image, at, ASSEMBLY_INTEL, name, target, text, sizeof text));
    snprintf(wanted, sizeof wanted, "   # 0x%lx <here>", linked(lines_begin).v);
    assert_non_null(strstr(text, "lea rax, [rip-0x"));
    assert_string_equal(strstr(text, "   #"), wanted);
    assert_true(assembly_text(&binary.image, at, ASSEMBLY_ATT, NULL, NULL, text, sizeof text));
    snprintf(wanted, sizeof wanted, "(%%rip), %%rax   # 0x%lx", linked(lines_begin).v);
    assert_string_equal(strchr(text, '('), wanted);
}

static void no_code_has_no_text(void **state)
{
    (void)state;
    char text[8];
    assert_false(assembly_text(&binary.image, (struct svma){~0ul}, ASSEMBLY_ATT, NULL, NULL, text,
                               sizeof text));
    /* Too little room gives none rather than half of it. */
    assert_false(
        assembly_text(&binary.image, linked(jumps_begin), ASSEMBLY_ATT, NULL, NULL, text, 3));
}

int main(void)
{
    struct err err;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_what_was_assembled),
        cmocka_unit_test(addresses_get_names),
        cmocka_unit_test(no_code_has_no_text),
    };
    if (!binary_open(&binary, "/proc/self/exe", &err))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    binary_close(&binary);
    return failed;
}

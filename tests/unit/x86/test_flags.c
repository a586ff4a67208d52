/* Flags, as written down by hand and as this processor shows them: instructions are run twice, with
 * flags flipped that they are said not to read. Nothing may differ but flags that were flipped, and
 * of these none that is said to be overwritten. */
#include "x86/insn.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#define C FLAG_CF
#define P FLAG_PF
#define A FLAG_AF
#define Z FLAG_ZF
#define S FLAG_SF
#define O FLAG_OF
#define ALL FLAGS_ALL

struct expected {
    const char *text, *bytes;
    size_t length;
    uint8_t read, killed;
};
#define CASE(text, bytes, read, killed)                                                            \
    {                                                                                              \
        text, bytes, sizeof bytes - 1, read, (uint8_t)(killed)                                     \
    }

static const struct expected cases[] = {
    CASE("add", "\x01\xC8", 0, ALL),
    CASE("adc", "\x11\xC8", C, ALL),
    CASE("sbb %eax,%eax", "\x19\xC0", C, ALL),
    CASE("adc $1", "\x83\xD0\x01", C, ALL),
    CASE("cmp $1", "\x83\xF8\x01", 0, ALL),
    CASE("xor", "\x31\xC0", 0, ALL),
    CASE("lock add", "\xF0\x01\x08", 0, ALL),
    CASE("inc", "\xFF\xC0", 0, ALL & ~C),
    CASE("dec", "\xFE\xC8", 0, ALL & ~C),
    CASE("push (%rax)", "\xFF\x30", 0, 0),
    CASE("neg", "\xF7\xD8", 0, ALL),
    CASE("not", "\xF7\xD0", 0, 0),
    CASE("mul", "\xF7\xE1", 0, C | O),
    CASE("idiv", "\xF7\xF9", 0, 0),
    CASE("imul $3", "\x6B\xC0\x03", 0, C | O),
    CASE("shl %cl", "\xD3\xE0", 0, 0),
    CASE("rcl %cl", "\xD3\xD0", C, 0),
    CASE("shl $0", "\xC1\xE0\x00", 0, 0),
    CASE("shl $32, 32 bits", "\xC1\xE0\x20", 0, 0),
    CASE("shl $32, 64 bits", "\x48\xC1\xE0\x20", 0, ALL),
    CASE("sar $1", "\xD1\xF8", 0, ALL),
    CASE("rol $1", "\xD1\xC0", 0, C | O),
    CASE("rol $5", "\xC1\xC0\x05", 0, C),
    CASE("rcr $1", "\xD1\xD8", C, C | O),
    CASE("rcr $9, 8 bits", "\xC0\xD8\x09", C, 0),
    CASE("shld $4", "\x0F\xA4\xC8\x04", 0, ALL),
    CASE("shld $0", "\x0F\xA4\xC8\x00", 0, 0),
    CASE("shrd $20, 16 bits", "\x66\x0F\xAC\xC8\x14", 0, 0),
    CASE("shrd %cl", "\x0F\xAD\xC8", 0, 0),
    CASE("bt", "\x0F\xA3\xC8", 0, C),
    CASE("bsf", "\x0F\xBC\xC8", 0, Z),
    CASE("tzcnt", "\xF3\x0F\xBC\xC8", 0, Z),
    CASE("popcnt", "\xF3\x0F\xB8\xC8", 0, ALL),
    CASE("cmpxchg", "\xF0\x0F\xB1\x0A", 0, ALL),
    CASE("cmpxchg16b", "\xF0\x48\x0F\xC7\x0F", 0, Z),
    CASE("xadd", "\x0F\xC1\xC8", 0, ALL),
    CASE("rdrand", "\x0F\xC7\xF0", 0, ALL),
    CASE("rdpid", "\xF3\x0F\xC7\xF8", 0, 0),
    CASE("jo", "\x70\x00", O, 0),
    CASE("jb", "\x72\x00", C, 0),
    CASE("je", "\x74\x00", Z, 0),
    CASE("setbe", "\x0F\x96\xC0", C | Z, 0),
    CASE("cmovs", "\x0F\x48\xC1", S, 0),
    CASE("jp rel32", "\x0F\x8A\x00\x00\x00\x00", P, 0),
    CASE("setl", "\x0F\x9C\xC0", S | O, 0),
    CASE("cmovg", "\x0F\x4F\xC1", Z | S | O, 0),
    CASE("loop", "\xE2\x00", 0, 0),
    CASE("loope", "\xE1\x00", Z, 0),
    CASE("jrcxz", "\xE3\x00", 0, 0),
    CASE("call", "\xE8\x00\x00\x00\x00", 0, 0),
    CASE("ret", "\xC3", 0, 0),
    CASE("jmp *%rax", "\xFF\xE0", 0, 0),
    CASE("syscall", "\x0F\x05", 0, 0),
    CASE("pushf", "\x9C", ALL, 0),
    CASE("popf", "\x9D", 0, ALL),
    CASE("lahf", "\x9F", ALL & ~O, 0),
    CASE("sahf", "\x9E", 0, ALL & ~O),
    CASE("clc", "\xF8", 0, C),
    CASE("cmc", "\xF5", C, C),
    CASE("cld", "\xFC", 0, 0),
    CASE("cmpsb", "\xA6", 0, ALL),
    CASE("repe cmpsb", "\xF3\xA6", Z, 0),
    CASE("repne scasb", "\xF2\xAE", Z, 0),
    CASE("rep movsb", "\xF3\xA4", 0, 0),
    CASE("mov", "\x89\xC8", 0, 0),
    CASE("lea", "\x8D\x04\x08", 0, 0),
    CASE("addps", "\x0F\x58\xC1", 0, 0),
    CASE("ucomisd", "\x66\x0F\x2E\xC1", 0, ALL),
    CASE("ptest", "\x66\x0F\x38\x17\xC1", 0, ALL),
    CASE("pcmpistri", "\x66\x0F\x3A\x63\xC1\x0C", 0, ALL),
    CASE("crc32", "\xF2\x0F\x38\xF1\xC1", 0, 0),
    CASE("adcx", "\x66\x0F\x38\xF6\xC1", C, C),
    CASE("adox", "\xF3\x0F\x38\xF6\xC1", O, O),
    CASE("fcmovbe", "\xDA\xD1", C | Z, 0),
    CASE("fcmovnu", "\xDB\xD9", P, 0),
    CASE("fucomip", "\xDF\xE9", 0, C | P | Z),
    CASE("fadd", "\xD8\xC1", 0, 0),
    CASE("andn", "\xC4\xE2\x70\xF2\xC2", 0, C | O | S | Z),
    CASE("blsr", "\xC4\xE2\x78\xF3\xC9", 0, C | O | S | Z),
    CASE("bzhi", "\xC4\xE2\x70\xF5\xC2", 0, C | O | S | Z),
    CASE("bextr", "\xC4\xE2\x70\xF7\xC2", 0, C | O | Z),
    CASE("shlx", "\xC4\xE2\x71\xF7\xC2", 0, 0),
    CASE("pdep", "\xC4\xE2\x73\xF5\xC2", 0, 0),
    CASE("mulx", "\xC4\xE2\x73\xF6\xC2", 0, 0),
    CASE("rorx", "\xC4\xE3\x7B\xF0\xC1\x01", 0, 0),
    CASE("vptest", "\xC4\xE2\x79\x17\xC1", 0, ALL),
    CASE("vucomiss", "\xC5\xF8\x2E\xC1", 0, ALL),
    CASE("kortestw", "\xC5\xF8\x98\xC1", 0, ALL),
    CASE("vcomiss, EVEX", "\x62\xF1\x7C\x08\x2F\xC1", 0, ALL),
    CASE("vpaddd, EVEX", "\x62\xF1\x75\x48\xFE\xC2", 0, 0),
    CASE("hlt, refused", "\xF4", ALL, 0),
    CASE("mov %gs:0, refused", "\x65\x8B\x04\x25\x00\x00\x00\x00", ALL, 0),
};

static void written_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insn;
        assert_true(insn_decode((const uint8_t *)cases[i].bytes, cases[i].length, &insn));
        assert_int_equal(insn.length, cases[i].length);
        uint8_t read = insn_flags_read(&insn), killed = insn_flags_killed(&insn);
        if (read != cases[i].read || killed != cases[i].killed)
            fail_msg("%s: reads %02x, expected %02x; kills %02x, expected %02x", cases[i].text,
                     read, cases[i].read, killed, cases[i].killed);
    }
}

/* Instructions that may be run: an opcode, the prefix it needs, and the ModRM.reg values it may
 * have. All but stack pointers are free registers; (%rsi) and (%rdi) are memory. */
enum { ANY = 0xCF, NO_MODRM = 0, REGISTERS_ONLY = 1, VEX = 2 };
struct form {
    uint8_t prefix, map, opcode, regs, how;
};

/* clang-format off */
#define ROW(map, op, how) {0, map, op, ANY, how}, {0, map, op + 1, ANY, how}
#define PAIR(op) {0, 0, op, ANY, 0}, {0, 0, op + 1, ANY, 0}, {0, 0, op + 2, ANY, 0}, \
    {0, 0, op + 3, ANY, 0}, {0, 0, op + 4, NO_MODRM, 0}, {0, 0, op + 5, NO_MODRM, 0}
#define EIGHT(map, op) ROW(map, op, 0), ROW(map, op + 2, 0), ROW(map, op + 4, 0), ROW(map, op + 6, 0)

static const struct form forms[] = {
    PAIR(0x00), PAIR(0x08), PAIR(0x10), PAIR(0x18), PAIR(0x20), PAIR(0x28), PAIR(0x30), PAIR(0x38),
    {0, 0, 0x63, ANY, 0}, {0, 0, 0x69, ANY, 0}, {0, 0, 0x6B, ANY, 0},
    {0, 0, 0x80, 0xFF, 0}, {0, 0, 0x81, 0xFF, 0}, {0, 0, 0x83, 0xFF, 0},
    EIGHT(0, 0x84), /* test, xchg, mov */
    {0, 0, 0x98, NO_MODRM, 0}, {0, 0, 0x99, NO_MODRM, 0}, {0, 0, 0x9E, NO_MODRM, 0},
    {0, 0, 0x9F, NO_MODRM, 0}, {0, 0, 0xA8, NO_MODRM, 0}, {0, 0, 0xA9, NO_MODRM, 0},
    {0, 0, 0xA6, NO_MODRM, 0}, {0xF3, 0, 0xA7, NO_MODRM, 0}, {0xF2, 0, 0xA6, NO_MODRM, 0},
    {0, 0, 0xAF, NO_MODRM, 0}, {0xF3, 0, 0xAE, NO_MODRM, 0}, {0xF2, 0, 0xAF, NO_MODRM, 0},
    {0, 0, 0xC0, 0xFF, 0}, {0, 0, 0xC1, 0xFF, 0}, {0, 0, 0xD0, 0xFF, 0}, {0, 0, 0xD1, 0xFF, 0},
    {0, 0, 0xD2, 0xFF, 0}, {0, 0, 0xD3, 0xFF, 0}, {0, 0, 0xF6, 0xFF, 0}, {0, 0, 0xF7, 0xFF, 0},
    {0, 0, 0xF5, NO_MODRM, 0}, {0, 0, 0xF8, NO_MODRM, 0}, {0, 0, 0xF9, NO_MODRM, 0},
    {0, 0, 0xFE, 3, 0}, {0, 0, 0xFF, 3, 0},
    {0, 0, 0xDA, 0x0F, REGISTERS_ONLY}, {0, 0, 0xDB, 0x6F, REGISTERS_ONLY},
    {0, 0, 0xDF, 0x60, REGISTERS_ONLY}, /* fcmov, fcomi */
    {0, 1, 0x2E, ANY, 0}, {0x66, 1, 0x2F, ANY, 0}, {0, 1, 0x58, ANY, 0},
    EIGHT(1, 0x40), EIGHT(1, 0x48), EIGHT(1, 0x90), EIGHT(1, 0x98),
    {0, 1, 0xA3, ANY, REGISTERS_ONLY}, {0, 1, 0xAB, ANY, REGISTERS_ONLY},
    {0, 1, 0xB3, ANY, REGISTERS_ONLY}, {0, 1, 0xBB, ANY, REGISTERS_ONLY}, {0, 1, 0xBA, 0xF0, 0},
    {0, 1, 0xA4, ANY, 0}, {0, 1, 0xA5, ANY, 0}, {0, 1, 0xAC, ANY, 0}, {0, 1, 0xAD, ANY, 0},
    {0, 1, 0xAF, ANY, 0}, {0, 1, 0xB0, ANY, 0}, {0, 1, 0xB1, ANY, 0}, {0, 1, 0xC0, ANY, 0},
    {0, 1, 0xC1, ANY, 0}, {0, 1, 0xB6, ANY, 0}, {0, 1, 0xBF, ANY, 0}, {0, 1, 0xC7, 2, 0},
    {0xF3, 1, 0xB8, ANY, 0}, {0, 1, 0xBC, ANY, 0}, {0, 1, 0xBD, ANY, 0},
    {0xF3, 1, 0xBC, ANY, 0}, {0xF3, 1, 0xBD, ANY, 0},
    {0, 1, 0xC8, NO_MODRM, 0}, {0, 1, 0xCB, NO_MODRM, 0},
    {0x66, 2, 0x17, ANY, 0}, {0xF2, 2, 0xF1, ANY, 0}, {0, 2, 0xF0, ANY, 0},
    {0x66, 2, 0xF6, ANY, 0}, {0xF3, 2, 0xF6, ANY, 0},
    {0x66, 3, 0x60, ANY, 0}, {0x66, 3, 0x61, ANY, 0}, {0x66, 3, 0x62, ANY, 0}, {0x66, 3, 0x63, ANY, 0},
    {0, 1, 0x2E, ANY, VEX}, {0x66, 2, 0x17, ANY, VEX}, {0x66, 2, 0x0E, ANY, VEX},
    {0, 2, 0xF2, ANY, VEX}, {0, 2, 0xF3, 0x0E, VEX}, {0, 2, 0xF5, ANY, VEX}, {0xF3, 2, 0xF5, ANY, VEX},
    {0xF2, 2, 0xF5, ANY, VEX}, {0xF2, 2, 0xF6, ANY, VEX}, {0, 2, 0xF7, ANY, VEX},
    {0x66, 2, 0xF7, ANY, VEX}, {0xF3, 2, 0xF7, ANY, VEX}, {0xF2, 3, 0xF0, ANY, VEX},
};
/* clang-format on */

static uint64_t random_state = 0x9E3779B97F4A7C15;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1D;
}

static unsigned random_number(unsigned below)
{
    return (unsigned)((random_bits() >> 33) % below);
}

static unsigned random_member(unsigned set)
{
    for (;;) {
        unsigned n = random_number(8);
        if (set >> n & 1)
            return n;
    }
}

static unsigned write_vex(uint8_t *code, const struct form *form)
{
    unsigned pp = form->prefix == 0x66 ? 1 : form->prefix == 0xF3 ? 2 : form->prefix ? 3 : 0;
    /* Two-operand instructions want all ones where others have their third register. */
    unsigned third = random_number(2) ? 15 : 15 ^ random_member(ANY);
    code[0] = 0xC4;
    code[1] = (uint8_t)(0xE0 | form->map);
    code[2] = (uint8_t)(random_number(2) << 7 | third << 3 | pp);
    code[3] = form->opcode;
    return 4;
}

static unsigned write_legacy(uint8_t *code, const struct form *form)
{
    unsigned n = 0;
    if (random_number(4) == 0)
        code[n++] = 0x66;
    if (form->prefix)
        code[n++] = form->prefix;
    if (random_number(3) == 0)
        code[n++] = 0x48;
    if (form->map)
        code[n++] = 0x0F;
    if (form->map > 1)
        code[n++] = form->map == 2 ? 0x38 : 0x3A;
    code[n++] = form->opcode;
    return n;
}

/* The instruction, a `ret` behind it; false if there is no such instruction. */
static bool write_code(uint8_t code[32], struct insn *ret_insn)
{
    const struct form *form = &forms[random_number(sizeof forms / sizeof *forms)];
    for (unsigned i = 0; i < 32; i++)
        code[i] = (uint8_t)random_bits();
    unsigned n = form->how & VEX ? write_vex(code, form) : write_legacy(code, form);
    if (form->regs) {
        bool memory = !(form->how & REGISTERS_ONLY) && random_number(3) == 0;
        unsigned rm = memory ? 6 + random_number(2) : random_member(ANY);
        code[n++] = (uint8_t)((memory ? 0 : 0xC0) | random_member(form->regs) << 3 | rm);
    }
    /* small shift counts, and 0, more often than chance would have them */
    if (random_number(2))
        code[n] &= 0x23;
    if (!insn_decode(code, 16, ret_insn) || ret_insn->class != INSN_PLAIN)
        return false;
    code[ret_insn->length] = 0xC3;
    return true;
}

enum { RAX, RBX, RCX, RDX, RSI, RDI, N_REGS };
struct machine {
    uint64_t regs[N_REGS], rflags;
    _Alignas(64) uint8_t memory[128]; /* its start is in the vector registers, too */
};

static sigjmp_buf fault;

static void on_fault(int signal)
{
    siglongjmp(fault, signal);
}

static void machine_step(struct machine *machine, const uint8_t *code)
{
    register const uint8_t *target __asm__("r8") = code;
    register uint64_t rflags __asm__("r9") = machine->rflags;
    uint64_t *regs = machine->regs;
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "movups (%%rsi), %%xmm0\n\tmovups 16(%%rsi), %%xmm1\n\t"
                     "movups 8(%%rsi), %%xmm2\n\tmovups 24(%%rsi), %%xmm3\n\t"
                     "movups 12(%%rsi), %%xmm6\n\tmovups (%%rsi), %%xmm7\n\t"
                     "pushq %%r9\n\tpopfq\n\t"
                     "callq *%%r8\n\t"
                     "pushfq\n\tpopq %%r9\n\t"
                     "leaq 128(%%rsp), %%rsp\n\t"
                     "fninit"
                     : "+a"(regs[RAX]), "+b"(regs[RBX]), "+c"(regs[RCX]), "+d"(regs[RDX]),
                       "+S"(regs[RSI]), "+D"(regs[RDI]), "+r"(rflags), "+r"(target)
                     :
                     : "memory", "cc", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm6",
                       "xmm7");
    machine->rflags = rflags;
}

static const uint16_t rflags_bits[6] = {1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11};

static uint64_t to_rflags(uint8_t flags)
{
    uint64_t rflags = 2;
    for (int i = 0; i < 6; i++)
        rflags |= flags >> i & 1 ? rflags_bits[i] : 0;
    return rflags;
}

static uint8_t from_rflags(uint64_t rflags)
{
    unsigned flags = 0;
    for (unsigned i = 0; i < 6; i++)
        flags |= rflags & rflags_bits[i] ? 1u << i : 0;
    return (uint8_t)flags;
}

static void machine_fill(struct machine *machine, const struct insn *insn)
{
    bool repeated = insn->prefixes & (PREFIX_F2 | PREFIX_F3) && insn->map == 0;
    bool small = random_number(2);
    for (int i = 0; i < N_REGS; i++)
        machine->regs[i] = random_bits() & (small ? 0x23 : UINT64_MAX);
    if (repeated)
        machine->regs[RCX] &= 3;
    for (size_t i = 0; i < sizeof machine->memory; i++)
        machine->memory[i] = (uint8_t)(random_bits() & 0x83);
}

/* Runs on one and the same memory, so that addresses in registers are equal. */
static bool machine_run(const struct machine *before, const uint8_t *code, uint8_t flags,
                        struct machine *ret_after)
{
    static struct machine machine;
    machine = *before;
    machine.regs[RSI] = (uint64_t)machine.memory;
    machine.regs[RDI] = (uint64_t)(machine.memory + 64);
    machine.rflags = to_rflags(flags);
    if (sigsetjmp(fault, 1) != 0)
        return false;
    machine_step(&machine, code);
    *ret_after = machine;
    return true;
}

static bool same_but_flags(const struct machine *a, const struct machine *b)
{
    return memcmp(a->regs, b->regs, sizeof a->regs) == 0 &&
           memcmp(a->memory, b->memory, sizeof a->memory) == 0;
}

static void complain(const struct insn *insn, const uint8_t *code, const char *what, unsigned flags)
{
    char text[64] = "";
    for (unsigned i = 0; i < insn->length; i++)
        sprintf(text + 3 * i, " %02x", code[i]);
    fail_msg("%s (flags %02x):%s", what, flags, text);
}

/* False: it faults on these operands, or this processor does not have it. */
static bool check_on_processor(const struct insn *insn, const uint8_t *code)
{
    uint8_t read = insn_flags_read(insn), killed = insn_flags_killed(insn);
    uint8_t flags = (uint8_t)(random_bits() & FLAGS_ALL);
    uint8_t flipped = (uint8_t)(random_number(2) ? FLAGS_ALL : random_bits() & FLAGS_ALL) & ~read;
    struct machine before, first, second;
    machine_fill(&before, insn);
    if (!machine_run(&before, code, flags, &first) ||
        !machine_run(&before, code, flags ^ flipped, &second))
        return false;
    if (!same_but_flags(&first, &second))
        complain(insn, code, "reads more flags than said", flipped);
    uint8_t differ = from_rflags(first.rflags) ^ from_rflags(second.rflags);
    if (differ & ~flipped)
        complain(insn, code, "flags come from flags not said to be read", differ & ~flipped);
    if (differ & killed)
        complain(insn, code, "flags said to be overwritten survive", differ & killed);
    return true;
}

static void catch_faults(void)
{
    static const int signals[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = on_fault};
        sigaction(signals[i], &action, NULL);
    }
}

static void shown_by_this_processor(void **state)
{
    (void)state;
    enum { SLOTS = 20000, SLOT = 32 };
    static struct insn insns[SLOTS];
    unsigned rounds = getenv("GAIT_LONG") ? 200 : 8;
    size_t ran = 0, faulted = 0;
    uint8_t *code =
        mmap(NULL, SLOTS * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    catch_faults();
    for (unsigned round = 0; round < rounds; round++) {
        assert_int_equal(mprotect(code, SLOTS * SLOT, PROT_READ | PROT_WRITE), 0);
        for (size_t i = 0; i < SLOTS; i++)
            while (!write_code(code + i * SLOT, &insns[i]))
                ;
        assert_int_equal(mprotect(code, SLOTS * SLOT, PROT_READ | PROT_EXEC), 0);
        for (size_t i = 0; i < SLOTS; i++)
            if (check_on_processor(&insns[i], code + i * SLOT))
                ran++;
            else
                faulted++;
    }
    print_message("%zu instructions ran twice, %zu faulted\n", ran, faulted);
    assert_true(ran > 5 * faulted);
    munmap(code, SLOTS * SLOT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_by_hand),
        cmocka_unit_test(shown_by_this_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

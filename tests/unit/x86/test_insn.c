/* Handwritten instructions: each class, each refusal, each field; what is no instruction; and
 * instructions cut short, at the end of readable memory. */
#include "text.h"
#include "x86/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct sample {
    const char *text; /* as an assembler would print it */
    const char *bytes;
    size_t length;
    enum insn_class class;
    enum insn_refusal refusal;
};

#define BYTES(bytes) bytes, sizeof bytes - 1
#define OK(text, bytes, class)                                                                     \
    {                                                                                              \
        text, BYTES(bytes), INSN_##class, REFUSAL_NONE                                             \
    }
#define REFUSED(text, bytes, why)                                                                  \
    {                                                                                              \
        text, BYTES(bytes), INSN_REFUSED, REFUSAL_##why                                            \
    }

/* clang-format off */
static const struct sample samples[] = {
    OK("je .+2", "\x74\x00", COND),
    OK("jne rel32", "\x0F\x85\x00\x01\x00\x00", COND),
    OK("bnd jg", "\xF2\x7F\x10", COND),
    OK("jrcxz", "\xE3\x05", COUNT_COND),
    OK("jecxz", "\x67\xE3\x05", COUNT_COND),
    OK("loop", "\xE2\xFE", COUNT_COND),
    OK("loope", "\xE1\xFE", COUNT_COND),
    OK("loopne", "\xE0\xFE", COUNT_COND),
    OK("jmp rel8", "\xEB\x10", JUMP),
    OK("jmp rel32", "\xE9\x10\x00\x00\x00", JUMP),
    OK("bnd jmp rel32", "\xF2\xE9\x10\x00\x00\x00", JUMP),
    OK("call", "\xE8\x10\x00\x00\x00", CALL),
    OK("addr32 call, as linkers relax call *GOT", "\x67\xE8\x10\x00\x00\x00", CALL),
    OK("data16 data16 rex.W call, of TLS sequences", "\x66\x66\x48\xE8\x10\x00\x00\x00", CALL),
    OK("jmp *%rax", "\xFF\xE0", IJUMP),
    OK("notrack jmp *%rdx", "\x3E\xFF\xE2", IJUMP),
    OK("jmp *0x8(%rip)", "\xFF\x25\x08\x00\x00\x00", IJUMP),
    OK("bnd jmp *0x8(%rip)", "\xF2\xFF\x25\x08\x00\x00\x00", IJUMP),
    OK("jmp *%fs:0x8(%rax)", "\x64\xFF\x60\x08", IJUMP),
    OK("call *%r11", "\x41\xFF\xD3", ICALL),
    OK("call *0x8(%rax,%rbx,8)", "\xFF\x54\xD8\x08", ICALL),
    OK("ret", "\xC3", RETURN),
    OK("rep ret", "\xF3\xC3", RETURN),
    OK("bnd ret", "\xF2\xC3", RETURN),
    OK("ret $8", "\xC2\x08\x00", RETURN),
    OK("syscall", "\x0F\x05", SYSCALL),

    OK("endbr64", "\xF3\x0F\x1E\xFA", PLAIN),
    OK("nopw %cs:0(%rax,%rax)", "\x66\x2E\x0F\x1F\x84\x00\x00\x00\x00\x00", PLAIN),
    OK("pause", "\xF3\x90", PLAIN),
    OK("mov %fs:0x28,%rax", "\x64\x48\x8B\x04\x25\x28\x00\x00\x00", PLAIN),
    OK("mov %fs,%eax", "\x8C\xE0", PLAIN),
    OK("mov %gs,%eax", "\x8C\xE8", PLAIN),
    OK("push %fs", "\x0F\xA0", PLAIN),
    OK("push %gs", "\x0F\xA8", PLAIN),
    OK("rdfsbase %rax", "\xF3\x48\x0F\xAE\xC0", PLAIN),
    OK("cpuid", "\x0F\xA2", PLAIN),
    OK("rdtsc", "\x0F\x31", PLAIN),
    OK("rdtscp", "\x0F\x01\xF9", PLAIN),
    OK("rdpmc", "\x0F\x33", PLAIN),
    OK("xgetbv", "\x0F\x01\xD0", PLAIN),
    OK("rdpid %rax", "\xF3\x0F\xC7\xF8", PLAIN),
    OK("rdpkru", "\x0F\x01\xEE", PLAIN),
    OK("wrpkru", "\x0F\x01\xEF", PLAIN),
    OK("monitorx", "\x0F\x01\xFA", PLAIN),
    OK("mwaitx", "\x0F\x01\xFB", PLAIN),
    OK("serialize", "\x0F\x01\xE8", PLAIN),
    OK("sgdt (%rax)", "\x0F\x01\x00", PLAIN),
    OK("smsw %eax", "\x0F\x01\xE0", PLAIN),
    OK("sldt %eax", "\x0F\x00\xC0", PLAIN),
    OK("lfence", "\x0F\xAE\xE8", PLAIN),
    OK("xsavec (%rsp)", "\x0F\xC7\x24\x24", PLAIN),
    OK("xrstor (%rsp)", "\x0F\xAE\x2C\x24", PLAIN),
    OK("cmpxchg16b (%rdi)", "\xF0\x48\x0F\xC7\x0F", PLAIN),
    OK("lock xadd %eax,(%rdx)", "\xF0\x0F\xC1\x02", PLAIN),
    OK("rep movsq", "\xF3\x48\xA5", PLAIN),
    OK("enter $0x10,$1", "\xC8\x10\x00\x01", PLAIN),
    OK("leave", "\xC9", PLAIN),
    OK("pop (%rax)", "\x8F\x00", PLAIN),
    OK("push $0x1234, 16 bits", "\x66\x68\x34\x12", PLAIN),
    OK("push $imm32 with 66 and REX.W", "\x66\x48\x68\x34\x12\x00\x00", PLAIN),
    OK("mov $imm16,%ax", "\x66\xB8\x34\x12", PLAIN),
    OK("movabs $imm64,%rax", "\x48\xB8\x01\x02\x03\x04\x05\x06\x07\x08", PLAIN),
    OK("movabs $imm64 with 66", "\x66\x48\xB8\x01\x02\x03\x04\x05\x06\x07\x08", PLAIN),
    OK("movabs moffs64,%al", "\xA0\x01\x02\x03\x04\x05\x06\x07\x08", PLAIN),
    OK("addr32 mov moffs32,%eax", "\x67\xA1\x01\x02\x03\x04", PLAIN),
    OK("test $imm8,%cl", "\xF6\xC1\x01", PLAIN),
    OK("not %cl", "\xF6\xD1", PLAIN),
    OK("test $imm32,%ecx", "\xF7\xC1\x01\x00\x00\x00", PLAIN),
    OK("testw $imm16,(%rcx)", "\x66\xF7\x01\x01\x00", PLAIN),
    OK("neg %ecx", "\xF7\xD9", PLAIN),
    OK("extrq $1,$2,%xmm0", "\x66\x0F\x78\xC0\x01\x02", PLAIN),
    OK("insertq $1,$2,%xmm1,%xmm0", "\xF2\x0F\x78\xC1\x01\x02", PLAIN),
    OK("pfadd %mm1,%mm0", "\x0F\x0F\xC1\x9E", PLAIN),
    OK("crc32 %al,%eax", "\xF2\x0F\x38\xF0\xC0", PLAIN),
    OK("adcx", "\x66\x0F\x38\xF6\xC1", PLAIN),
    OK("pcmpistri $0x1a", "\x66\x0F\x3A\x63\xC1\x1A", PLAIN),
    OK("vzeroupper", "\xC5\xF8\x77", PLAIN),
    OK("vpcmpeqb (%rdi),%ymm0,%ymm1", "\xC5\xFD\x74\x0F", PLAIN),
    OK("vpshufd $1", "\xC5\xF9\x70\xC1\x01", PLAIN),
    OK("shlx", "\xC4\xE2\x71\xF7\xC2", PLAIN),
    OK("rorx $1", "\xC4\xE3\x7B\xF0\xC1\x01", PLAIN),
    OK("vmovdqu64 disp8*64(%rsi),%zmm16", "\x62\xE1\xFE\x48\x6F\x46\x01", PLAIN),
    OK("vpternlogd $imm8", "\x62\xF3\x75\x48\x25\xC2\xFE", PLAIN),
    OK("vaddph, map 5", "\x62\xF5\x74\x48\x58\xC2", PLAIN),
    OK("vfmadd132ph, map 6", "\x62\xF6\x75\x48\x98\xC2", PLAIN),
    OK("vprotb $imm8, XOP 8", "\x8F\xE8\x78\xC0\xC1\x01", PLAIN),
    OK("blcfill, XOP 9", "\x8F\xE9\x78\x01\xC9", PLAIN),
    OK("bextr $imm32, XOP A", "\x8F\xEA\x78\x10\xC1\x01\x00\x00\x00", PLAIN),
    OK("vfmaddps, FMA4", "\xC4\xE3\xF9\x68\xC1\x20", PLAIN),

    REFUSED("mov %gs:0x10,%rax", "\x65\x48\x8B\x04\x25\x10\x00\x00\x00", GS),
    REFUSED("gs movsb", "\x65\xA4", GS),
    REFUSED("gs vmovups", "\x65\xC5\xF8\x10\x00", GS),
    REFUSED("call *%gs:0x10", "\x65\xFF\x14\x25\x10\x00\x00\x00", GS),
    REFUSED("rdgsbase %rax", "\xF3\x48\x0F\xAE\xC8", GS),
    REFUSED("wrgsbase %rax", "\xF3\x48\x0F\xAE\xD8", GS),
    REFUSED("swapgs", "\x0F\x01\xF8", GS),
    REFUSED("wrfsbase %rax", "\xF3\x48\x0F\xAE\xD0", FSBASE),
    REFUSED("int3", "\xCC", TRAP),
    REFUSED("int $0x80", "\xCD\x80", TRAP),
    REFUSED("int1", "\xF1", TRAP),
    REFUSED("ud0", "\x0F\xFF\xC0", TRAP),
    REFUSED("ud1 4(%eax),%eax, of sanitizers", "\x67\x0F\xB9\x40\x04", TRAP),
    REFUSED("ud2", "\x0F\x0B", TRAP),
    REFUSED("hlt", "\xF4", TRAP),
    REFUSED("cli", "\xFA", TRAP),
    REFUSED("in (%dx),%al", "\xEC", TRAP),
    REFUSED("out %al,$1", "\xE6\x01", TRAP),
    REFUSED("rep insb", "\xF3\x6C", TRAP),
    REFUSED("lgdt (%rax)", "\x0F\x01\x10", TRAP),
    REFUSED("wrmsr", "\x0F\x30", TRAP),
    REFUSED("mov %cr0,%rax, mod ignored", "\x0F\x20\x00", TRAP),
    REFUSED("mov %rax,%dr7", "\x0F\x23\xF8", TRAP),
    REFUSED("invd", "\x0F\x08", TRAP),
    REFUSED("vmcall", "\x0F\x01\xC1", TRAP),
    REFUSED("invpcid", "\x66\x0F\x38\x82\x00", TRAP),
    REFUSED("senduipi %rax", "\xF3\x0F\xC7\xF0", TRAP),
    REFUSED("lcall *(%rax)", "\xFF\x18", FAR),
    REFUSED("ljmp *(%rax)", "\xFF\x28", FAR),
    REFUSED("lret", "\xCB", FAR),
    REFUSED("lret $8", "\xCA\x08\x00", FAR),
    REFUSED("iretq", "\x48\xCF", FAR),
    REFUSED("sysenter", "\x0F\x34", FAR),
    REFUSED("sysexit", "\x0F\x35", FAR),
    REFUSED("sysretq", "\x48\x0F\x07", FAR),
    REFUSED("uiret", "\xF3\x0F\x01\xEC", FAR),
    REFUSED("mov %eax,%ds", "\x8E\xD8", FAR),
    REFUSED("mov %eax,%fs", "\x8E\xE0", FAR),
    REFUSED("pop %fs", "\x0F\xA1", FAR),
    REFUSED("pop %gs", "\x0F\xA9", FAR),
    REFUSED("lss (%rax),%eax", "\x0F\xB2\x00", FAR),
    REFUSED("lfs (%rax),%eax", "\x0F\xB4\x00", FAR),
    REFUSED("lgs (%rax),%eax", "\x0F\xB5\x00", FAR),
    REFUSED("xbegin", "\xC7\xF8\x00\x00\x00\x00", TRANSACTION),
    REFUSED("xend", "\x0F\x01\xD5", TRANSACTION),
    REFUSED("incsspd %eax", "\xF3\x0F\xAE\xE8", SHADOW_STACK),
    REFUSED("wrssd %eax,(%rcx)", "\x0F\x38\xF6\x01", SHADOW_STACK),
    REFUSED("wrussq %rax,(%rcx)", "\x66\x48\x0F\x38\xF5\x01", SHADOW_STACK),
    REFUSED("saveprevssp", "\xF3\x0F\x01\xEA", SHADOW_STACK),
    REFUSED("rstorssp (%rax)", "\xF3\x0F\x01\x28", SHADOW_STACK),
    REFUSED("setssbsy", "\xF3\x0F\x01\xE8", SHADOW_STACK),
    REFUSED("clrssbsy (%rax)", "\xF3\x0F\xAE\x30", SHADOW_STACK),
    REFUSED("data16 jmp", "\x66\xE9\x10\x00\x00\x00", ODD_BRANCH),
    REFUSED("data16 call", "\x66\xE8\x10\x00\x00\x00", ODD_BRANCH),
    REFUSED("data16 je", "\x66\x74\x00", ODD_BRANCH),
    REFUSED("data16 ret", "\x66\xC3", ODD_BRANCH),
    REFUSED("data16 jmp *%rax", "\x66\xFF\xE0", ODD_BRANCH),
    REFUSED("jmp *(%eax)", "\x67\xFF\x20", ODD_BRANCH),
    REFUSED("mov 0x10(%eip),%eax", "\x67\x8B\x05\x10\x00\x00\x00", ODD_BRANCH),
};

static const struct sample not_instructions[] = {
    REFUSED("lcall imm, gone in 64-bit mode", "\x9A\x00\x00\x00\x00\x00\x00", UNDECODED),
    REFUSED("ljmp imm", "\xEA\x00\x00\x00\x00\x00\x00", UNDECODED),
    REFUSED("push %es", "\x06", UNDECODED),
    REFUSED("daa", "\x27", UNDECODED),
    REFUSED("pusha", "\x60", UNDECODED),
    REFUSED("into", "\xCE", UNDECODED),
    REFUSED("REX2", "\xD5\x00\x90", UNDECODED),
    REFUSED("0F 04", "\x0F\x04", UNDECODED),
    REFUSED("mov %eax,%cs", "\x8E\xC8", UNDECODED),
    REFUSED("lea %eax,%eax", "\x8D\xC0", UNDECODED),
    REFUSED("FF /7", "\xFF\xF8", UNDECODED),
    REFUSED("FE /2", "\xFE\xD0", UNDECODED),
    REFUSED("ljmp *%rax", "\xFF\xE8", UNDECODED),
    REFUSED("lock nop", "\xF0\x90", UNDECODED),
    REFUSED("lock add to a register", "\xF0\x01\xC0", UNDECODED),
    REFUSED("lock cmp", "\xF0\x39\x00", UNDECODED),
    REFUSED("VEX behind 66", "\x66\xC5\xF8\x77", UNDECODED),
    REFUSED("VEX behind REX", "\x48\xC5\xF8\x77", UNDECODED),
    REFUSED("VEX map 31", "\xC4\xFF\x78\x77\xC0", UNDECODED),
    REFUSED("EVEX with a reserved bit", "\x62\xF9\x7C\x48\x58\xC0", UNDECODED),
    REFUSED("EVEX map 4", "\x62\xF4\x7C\x48\x58\xC0", UNDECODED),
    REFUSED("16 bytes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", UNDECODED),
};
/* clang-format on */

#define COUNT(array) (sizeof array / sizeof *array)

static void each_class_and_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *sample = &samples[i];
        struct insn insn;
        bool decoded = insn_decode((const uint8_t *)sample->bytes, sample->length, &insn);
        if (!decoded || insn.length != sample->length || insn.class != sample->class ||
            insn.refusal != sample->refusal)
            fail_msg("%s: decoded %d, length %u, class %u, refusal %u", sample->text, decoded,
                     insn.length, insn.class, insn.refusal);
    }
}

static void what_is_no_instruction(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(not_instructions); i++) {
        struct insn insn;
        const struct sample *sample = &not_instructions[i];
        if (insn_decode((const uint8_t *)sample->bytes, sample->length, &insn))
            fail_msg("%s: decoded, length %u", sample->text, insn.length);
        assert_int_equal(insn.length, 0);
        assert_int_equal(insn.class, INSN_REFUSED);
        assert_int_equal(insn.refusal, REFUSAL_UNDECODED);
    }
}

static struct insn decoded(const char *bytes, size_t length)
{
    struct insn insn;
    assert_true(insn_decode((const uint8_t *)bytes, length, &insn));
    return insn;
}
#define DECODED(bytes) decoded(BYTES(bytes))

static void memory_operands(void **state)
{
    (void)state;
    struct insn insn = DECODED("\x48\x8B\x05\xF0\xFF\xFF\xFF"); /* mov -16(%rip),%rax */
    assert_true(insn.rip_relative && insn.has_modrm);
    assert_int_equal(insn.rex, 0x48);
    assert_int_equal(insn.opcode, 0x8B);
    assert_int_equal(insn.opcode_at, 1);
    assert_int_equal(insn.modrm_at, 2);
    assert_int_equal(insn.modrm, 5);
    assert_int_equal(insn.disp_at, 3);
    assert_int_equal(insn.disp_bytes, 4);
    assert_int_equal(insn.disp, -16);

    insn = DECODED("\xC7\x44\x24\xF8\x78\x56\x34\x92"); /* movl $0x92345678,-8(%rsp) */
    assert_false(insn.rip_relative);
    assert_int_equal(insn.sib, 0x24);
    assert_int_equal(insn.disp_at, 3);
    assert_int_equal(insn.disp_bytes, 1);
    assert_int_equal(insn.disp, -8);
    assert_int_equal(insn.imm_at, 4);
    assert_int_equal(insn.imm_bytes, 4);
    assert_true(insn.imm == (int32_t)0x92345678);

    insn = DECODED("\x8B\x04\x25\x10\x00\x00\x00"); /* absolute: a SIB with no base */
    assert_false(insn.rip_relative);
    assert_int_equal(insn.disp, 0x10);

    insn = DECODED("\x80\x3D\x01\x02\x03\x04\x05"); /* cmpb $5,x(%rip): bytes follow the disp */
    assert_true(insn.rip_relative);
    assert_int_equal(insn.disp_at, 2);
    assert_int_equal(insn.imm_at, 6);
}

static void immediates(void **state)
{
    (void)state;
    struct insn insn = DECODED("\x48\xA1\x08\x07\x06\x05\x04\x03\x02\x81"); /* moffs */
    assert_int_equal(insn.imm_bytes, 8);
    assert_int_equal(insn.disp_bytes, 0);
    assert_true(insn.imm == (int64_t)0x8102030405060708);

    insn = DECODED("\xC8\x34\x12\x01");
    assert_int_equal(insn.imm_at, 1);
    assert_int_equal(insn.imm_bytes, 2);
    assert_int_equal(insn.imm, 0x1234);

    insn = DECODED("\x83\xC0\xFF");
    assert_true(insn.imm == -1);

    insn = DECODED("\x0F\x84\xFC\xFF\xFF\xFF");
    assert_true(insn_target(&insn, 0x1000) == 0x1002);
    insn = DECODED("\xEB\xFE");
    assert_true(insn_target(&insn, 0x1000) == 0x1000);
}

static void prefixes_and_spaces(void **state)
{
    (void)state;
    struct insn insn = DECODED("\x66\x64\xF3\x48\x0F\xB8\x00"); /* popcnt %fs:(%rax) */
    assert_int_equal(insn.prefixes, PREFIX_66 | PREFIX_FS | PREFIX_F3);
    assert_int_equal(insn.map, 1);
    insn = DECODED("\xF2\xF3\x90"); /* the last of F2 and F3 counts */
    assert_int_equal(insn.prefixes, PREFIX_F3);
    insn = DECODED("\x48\x66\x01\xC0"); /* a REX that is not last does not */
    assert_int_equal(insn.rex, 0);
    assert_int_equal(insn.prefixes, PREFIX_66);
    insn = DECODED("\xC4\xE3\x7B\xF0\xC1\x01"); /* rorx */
    assert_int_equal(insn.space, SPACE_VEX);
    assert_int_equal(insn.map, 3);
    assert_int_equal(insn.rex, 0);
    assert_int_equal(insn.prefixes, PREFIX_F2);
    insn = DECODED("\x62\xE1\xFE\x48\x6F\x46\xFF"); /* vmovdqu64: disp8 is not scaled here */
    assert_int_equal(insn.space, SPACE_EVEX);
    assert_int_equal(insn.map, 1);
    assert_int_equal(insn.rex, 0x48);
    assert_int_equal(insn.prefixes, PREFIX_F3);
    assert_int_equal(insn.disp, -1);
    insn = DECODED("\x8F\xEA\x78\x10\xC1\x01\x00\x00\x00");
    assert_int_equal(insn.space, SPACE_XOP);
    assert_int_equal(insn.map, 10);
}

/* Two pages; the second cannot be read. */
static uint8_t *fence;

static int make_fence(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        return -1;
    fence = pages + page;
    return 0;
}

/* Every true prefix of the instruction must be told from it, by reading no byte more. */
static void check_cut(const uint8_t *bytes, size_t length)
{
    struct insn insn;
    for (size_t room = 0; room < length; room++) {
        memcpy(fence - room, bytes, room);
        if (insn_decode(fence - room, room, &insn))
            fail_msg("%zu bytes of %zu decode: %02x %02x %02x %02x", room, length, bytes[0],
                     bytes[1], bytes[2], bytes[3]);
    }
    memcpy(fence - length, bytes, length);
    if (!insn_decode(fence - length, length, &insn) || insn.length != length)
        fail_msg("%zu bytes do not decode: %02x %02x %02x %02x", length, bytes[0], bytes[1],
                 bytes[2], bytes[3]);
}

static void cut_short(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++)
        check_cut((const uint8_t *)samples[i].bytes, samples[i].length);
    struct text text;
    assert_true(text_open_libc(&text));
    struct insn insn;
    size_t n = 0;
    for (size_t at = 0; at < text.size; n++) {
        if (insn_decode(text.bytes + at, text.size - at, &insn))
            check_cut(text.bytes + at, insn.length);
        at += insn.length ? insn.length : 1;
    }
    text_close(&text);
    assert_true(n > 100000);
}

/* However much room there is behind it, the longest look ahead must stay within. */
static void no_reading_past_the_room(void **state)
{
    (void)state;
    uint8_t bytes[64];
    for (size_t n_prefixes = 0; n_prefixes <= 20; n_prefixes++)
        for (size_t room = 0; room <= sizeof bytes; room++) {
            /* vpternlogd $1, 0x44444444(%rsp,%riz), ... */
            static const uint8_t longest[] = {0x62, 0xF3, 0x75, 0x48, 0x25, 0x94,
                                              0x24, 0x44, 0x44, 0x44, 0x44, 0x01};
            struct insn insn;
            memset(bytes, 0x2E, sizeof bytes);
            memcpy(bytes + n_prefixes, longest, sizeof longest);
            memcpy(fence - room, bytes, room);
            size_t length = n_prefixes + sizeof longest;
            bool whole = length <= 15 && length <= room;
            assert_int_equal(insn_decode(fence - room, room, &insn), whole);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_and_refusal),
        cmocka_unit_test(what_is_no_instruction),
        cmocka_unit_test(memory_operands),
        cmocka_unit_test(immediates),
        cmocka_unit_test(prefixes_and_spaces),
        cmocka_unit_test_setup(cut_short, make_fence),
        cmocka_unit_test_setup(no_reading_past_the_room, make_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is walked by test_payload.c. */
#pragma once

static uint64_t table[64], copy[64];

static uint64_t loops(uint64_t n, uint64_t b, uint64_t c)
{
    uint64_t sum = c;
    for (uint64_t i = 0; i < 64; i++)
        table[i] = i * b;
    for (uint64_t i = 0; i < n; i++) {
        copy[i % 64] = table[(i * 7) % 64] + (i & 3 ? sum / (i + 1) : i);
        sum += copy[(i * 5) % 64] >> (i % 9);
    }
    return sum;
}

__attribute__((noipa)) static uint64_t calls(uint64_t n, uint64_t b, uint64_t c)
{
    return n < 2 ? n + b : calls(n - 1, c, b) + calls(n - 2, b, c);
}

static uint64_t floats(uint64_t n, uint64_t b, uint64_t c)
{
    double sum = (double)b, many[16];
    for (uint64_t i = 0; i < 16; i++)
        many[i] = (double)(i * c) / 3;
    for (uint64_t i = 0; i < n; i++)
        sum = sum * 0.5 + many[i % 16] / (1 + (double)i);
    return (uint64_t)sum;
}

uint64_t asm_memory(uint64_t, uint64_t, uint64_t);
uint64_t asm_strings(uint64_t, uint64_t, uint64_t);
uint64_t asm_vectors(uint64_t, uint64_t, uint64_t);
uint64_t asm_registers(uint64_t, uint64_t, uint64_t);
uint64_t asm_stack(uint64_t, uint64_t, uint64_t);
uint64_t asm_wide(uint64_t, uint64_t, uint64_t);
extern uint64_t asm_data[], asm_target;
__asm__(
    ".data\n.balign 64\nasm_data: .fill 64, 8, 0x1122334455667788\n.text\n"
    /* every kind of address; %r10 and %r11 in them */
    "asm_memory: lea asm_data(%rip),%r11\n mov $5,%r10d\n mov (%r11,%r10,8),%rax\n"
    "  mov 8(%r11,%r10,4),%r10\n mov $3,%r10d\n add 16(%r11),%r10\n mov asm_data+24(%rip),%ecx\n"
    "  add %rcx,%rax\n mov %fs:0,%rcx\n xor %ecx,%ecx\n mov %fs:(%rcx),%rdx\n xor %edx,%edx\n"
    "  mov %r10,32(%r11)\n mov %r11,%r10\n xchg %rax,40(%r10)\n mov %r9b,(%r11)\n"
    "  mov %r11,%rcx\n mov %ah,3(%rcx)\n movzbl 3(%r11),%r10d\n lea (%r10,%r10),%r11\n lea "
    "asm_data(%rip),%r8\n"
    "  mov 8(%r8,%rdx,8),%r9\n"
    "  imul $7,8(%r8),%r11\n neg %r11\n bsf %r11,%r10\n cmovne %r10,%rax\n ret\n"
    /* rep movs, stos, scas, cmps, lods */
    "asm_strings: lea asm_data(%rip),%rsi\n lea 256(%rsi),%rdi\n mov $16,%ecx\n rep movsb\n movsq\n"
    "  mov $7,%eax\n mov $9,%ecx\n rep stosl\n lea asm_data(%rip),%rsi\n lodsw\n lodsb\n"
    "  lea asm_data(%rip),%rdi\n mov $20,%ecx\n repe cmpsb\n mov $20,%ecx\n xor %eax,%eax\n"
    "  lea asm_data(%rip),%rdi\n repne scasb\n mov %rcx,%rax\n ret\n"
    /* legacy and VEX, loads and stores, registers above 7, a gather */
    "asm_vectors: lea asm_data(%rip),%r11\n movdqu (%r11),%xmm9\n paddq 16(%r11),%xmm9\n"
    "  movaps %xmm9,%xmm1\n movhps 8(%r11),%xmm1\n vmovdqu 32(%r11),%ymm10\n vpaddd "
    "%ymm10,%ymm10,%ymm3\n"
    "  vmovdqu %ymm3,64(%r11)\n vpxor %xmm4,%xmm4,%xmm4\n vpcmpeqd %xmm5,%xmm5,%xmm5\n"
    "  vpgatherdd %xmm5,(%r11,%xmm4,4),%xmm6\n vpcmpeqd %ymm5,%ymm5,%ymm5\n vpxor "
    "%ymm12,%ymm12,%ymm12\n"
    "  lea 128(%r11),%rsi\n vpgatherqq %ymm5,8(%rsi,%ymm12,8),%ymm13\n vpmovmskb %ymm3,%eax\n"
    "  vmovq %xmm6,%r10\n add %r10,%rax\n movd %eax,%xmm2\n pextrw $1,%xmm2,%r11d\n add %r11,%rax\n"
    "  vextracti128 $1,%ymm13,%xmm14\n vzeroupper\n ret\n"
    /* results of one, two, four registers; divisors; counts; flags kept over all of it */
    "asm_registers: mov %rdi,%rax\n mov $9,%r10d\n mul %r10\n mov $11,%r11d\n xor %edx,%edx\n div "
    "%r11\n"
    "  mov $5,%ecx\n shl %cl,%rax\n sar %cl,%r10d\n mov %rax,%r8\n cmp %rax,%rax\n stc\n"
    "  mov asm_data(%rip),%r9\n mov %r9,asm_data+8(%rip)\n adc $0,%r8\n setc %r9b\n cqo\n xchg "
    "%r8,%rax\n"
    "  bswap %r10\n xadd %r10,%r11\n lock xadd %r11,asm_data+16(%rip)\n mov $3,%r11d\n"
    "  movl $1,asm_data+16(%rip)\n movl $0,asm_data+20(%rip)\n mov %rax,%r9\n"
    "  mov $1,%eax\n mov $7,%r10d\n lock cmpxchg %r10d,asm_data+16(%rip)\n mov $1,%eax\n"
    "  lock cmpxchg %r10d,asm_data+16(%rip)\n mov %rax,%r11\n xchg %r11b,asm_data+16(%rip)\n"
    "  mov %r9,%rax\n"
    "  and $0xff,%eax\n add %rdx,%rax\n ret\n"
    /* pushes and pops of all sorts, enter and leave, calls through memory */
    "asm_stack: push %rbp\n mov %rsp,%rbp\n push $3\n push asm_data(%rip)\n pop %rax\n pop %rcx\n "
    "pushw $5\n"
    "  popw %dx\n push %r11\n pop %r10\n pushq $9\n popq -8(%rsp)\n pushfq\n pop %r8\n push %rbx\n"
    "  call *asm_target(%rip)\n lea asm_target(%rip),%r11\n call *(%r11)\n pop %rbx\n leave\n"
    "  enter $16,$0\n leave\n add %rcx,%rax\n ret\n"
    "1: add $2,%rax\n ret\n.section .data.rel.local,\"aw\"\nasm_target: .quad 1b\n.text\n");

/* EVEX with short displacements: whole vectors, parts, elements, broadcasts; below the base, with
 * an index, %r10 to %r12 in addresses. */
__asm__("asm_wide: lea asm_data+256(%rip),%r10\n mov $3,%r11d\n push %r12\n mov %r10,%r12\n"
        "  vmovdqu64 64(%r10),%zmm16\n vmovdqu64 -128(%r10),%zmm17\n vmovdqu64 "
        "%zmm16,64(%r10,%r11,8)\n"
        "  vmovdqu8 32(%r12,%r11,1),%ymm18\n vmovdqu32 %xmm16,-48(%r12)\n vpaddq "
        "24(%r10){1to8},%zmm16,%zmm16\n"
        "  vpaddd -12(%rdi,%r10){1to16},%zmm16,%zmm16\n vpmovzxbd 16(%r10),%zmm19\n vpmovqb "
        "%zmm16,-24(%r10)\n"
        "  vmovsd 40(%r10),%xmm20\n vmovss %xmm20,-20(%r10)\n vpbroadcastb 5(%r10),%zmm21\n"
        "  vextracti64x4 $1,%zmm16,-96(%r10)\n vpsrld 16(%r10),%zmm16,%zmm16\n vzeroupper\n"
        "  pop %r12\n mov %r11,%rax\n ret\n");

static void wide_code(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw")) {
        print_message(
            "SKIPPED: this machine has no AVX-512: addresses of EVEX are not held to it\n");
        skip();
    }
    uint64_t before = checked.addresses;
    events = EVENTS_ADDRESS; /* what is in such vectors is not recorded */
    check(asm_wide, 0, 0, 0);
    events = ALL_EVENTS;
    assert_true(checked.addresses - before >= 14);
}

/* Every run finds memory the same. */
static void memory_reset(void)
{
    memset(table, 0, sizeof table);
    memset(copy, 0, sizeof copy);
    for (uint64_t i = 0; i < 64; i++)
        asm_data[i] = UINT64_C(0x1122334455667788) * (i + 1);
}

static void plain_code(void **state)
{
    (void)state;
    check(loops, 300, 3, 1);
    check(calls, 10, 2, 3);
    check(floats, 40, 5, 6);
}

static void odd_code(void **state)
{
    (void)state;
    check(asm_memory, 0, 0, 0);
    check(asm_strings, 0, 0, 0);
    check(asm_stack, 0, 0, 0);
    check(asm_registers, 5, 0, 0);
    check(asm_vectors, 0, 0, 0);
}

/* The test itself saw all kinds. */
static void all_seen(void **state)
{
    (void)state;
    print_message(
        "%lu instructions: %lu addresses, %lu on the stack, %lu of strings, %lu gathers, %lu "
        "results, %lu vectors, %lu operands, %lu latencies\n",
        checked.instructions, checked.addresses, checked.stack, checked.strings, checked.gathers,
        checked.results, checked.vectors, checked.operands, checked.latencies);
    assert_true(checked.addresses > 500 && checked.stack > 50 && checked.strings > 5 &&
                checked.results > 1000 && checked.vectors > 20 && checked.operands > 50);
    assert_true(checked.latencies > 0);
    assert_true(checked.exchanges > 3);
    assert_true(checked.arguments > 0 && checked.returned > 10);
}

/* Instructions that compilers do not use: old ones, far ones, segments, int $0x80. A checksum of
 * all that they leave behind. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t sum;
static unsigned char table[256], source[4096], target[4096];

static void mix(uint64_t value)
{
    sum = (sum ^ value) * 0x100000001b3;
}

static void strings(int n)
{
    unsigned char byte, equal;
    void *from = source, *to = target + (n & 7);
    long count = 1000 + n % 77;
    __asm__ volatile("xlat" : "=a"(byte) : "a"((unsigned char)n), "b"(table));
    mix(byte);
    __asm__ volatile("std; rep movsb; cld" ::"S"(source + 2000 + n % 1000),
                     "D"(target + 3000 + n % 1000), "c"(300 + n % 200)
                     : "memory");
    mix(target[2900]);
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
    mix((uint64_t)((char *)from - (char *)source + count));
    from = source, to = target, count = 4096;
    __asm__ volatile("repe cmpsb; sete %3"
                     : "+S"(from), "+D"(to), "+c"(count), "=r"(equal)::"memory");
    mix((uint64_t)count * 2 + equal);
    to = target, count = 4096;
    __asm__ volatile("repne scasb" : "+D"(to), "+c"(count) : "a"((char)(n * 13)) : "memory");
    mix((uint64_t)count);
}

static void loops(int n)
{
    long result = 0, count = n % 50 + 1;
    __asm__ volatile("1: add $3,%0; loop 1b" : "+r"(result), "+c"(count));
    mix((uint64_t)result);
    result = 0, count = 20;
    __asm__ volatile("1: add $1,%0; cmp $7,%0; loopne 1b" : "+r"(result), "+c"(count));
    mix((uint64_t)result);
    __asm__ volatile("enter $64,$0; mov %%rsp,%%rax; leave" : "=a"(result)::"memory");
}

static void flags(int n)
{
    uint64_t wanted = 0x246 | (n & 1 ? 0x400 : 0) | (n & 2 ? 1 : 0) | (n & 8 ? 0x800 : 0), got;
    __asm__ volatile("pushq %1; popfq; pushfq; popq %0; cld" : "=r"(got) : "r"(wanted) : "cc");
    mix(got & 0x200cd5);
    __asm__ volatile("mov %1,%%rax; sub %2,%%rax; lahf; seto %%al; movzx %%ax,%0"
                     : "=r"(got)
                     : "r"(wanted), "r"((uint64_t)n)
                     : "rax");
    mix(got);
}

static uint64_t return_far(void)
{
    uint64_t result;
    __asm__ volatile("lea 1f(%%rip),%%rax; mov %%cs,%%ecx; pushq %%rcx; pushq %%rax\n"
                     "mov $5,%%edx; lretq; mov $6,%%edx\n 1: mov %%rdx,%0"
                     : "=r"(result)::"rax", "rcx", "rdx", "memory");
    return result;
}

static uint64_t return_from_interrupt(void)
{
    uint64_t result;
    __asm__ volatile("mov %%rsp,%%rsi; mov %%ss,%%eax; pushq %%rax; pushq %%rsi; pushfq\n"
                     "mov %%cs,%%eax; pushq %%rax; lea 1f(%%rip),%%rax; pushq %%rax\n"
                     "mov $7,%%edx; iretq; mov $8,%%edx\n 1: mov %%rdx,%0"
                     : "=r"(result)::"rax", "rdx", "rsi", "memory");
    return result;
}

/* lcall *(%rdi); ret; and what it calls: mov $9,%eax; lret. Far addresses in memory have 32 bits.
 */
static uint64_t call_far(void)
{
    static const unsigned char code[] = {0xff, 0x1f, 0xc3, 0xb8, 9, 0, 0, 0, 0xcb};
    static unsigned char *low;
    static struct {
        uint32_t offset;
        uint16_t segment;
    } where;
    if (!low) {
        low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
                   0);
        if (low == MAP_FAILED)
            abort();
        memcpy(low, code, sizeof code);
        mprotect(low, 4096, PROT_READ | PROT_EXEC);
        where.offset = (uint32_t)(uintptr_t)low + 3;
        __asm__("mov %%cs,%0" : "=r"(where.segment));
    }
    uint64_t (*function)(void *) = (uint64_t(*)(void *))(uintptr_t)low;
    return function(&where);
}

static uint64_t through_segments(int n)
{
    static uint64_t block[4] = {1, 2, 3, 4};
    uint64_t base, value = 0, other;
    uint16_t segment;
    if (!(getauxval(AT_HWCAP2) & 2))
        return 0;
    __asm__ volatile("rdfsbase %0; mov %%fs:0,%1" : "=r"(base), "=r"(other));
    mix(base == other);
    __asm__ volatile("wrfsbase %0" ::"r"(base));
    __asm__ volatile("mov %%ds,%0; mov %0,%%ds" : "=r"(segment));
    __asm__ volatile("rdgsbase %0; wrgsbase %1" : "=&r"(base) : "r"(block));
    for (long i = 0; i < 4; i++) {
        __asm__ volatile("mov %%gs:(,%1,8),%0; lock xadd %%eax,%%gs:8; add %%gs:16,%0"
                         : "=&r"(other)
                         : "r"(i), "a"(n)
                         : "memory", "cc");
        value = value * 31 + other;
    }
    __asm__ volatile("addb %%ah,%%gs:24; movb %%gs:1(%1),%%ah; movsbq %%gs:24,%0"
                     : "=r"(other)
                     : "r"(0L), "a"(n * 771)
                     : "memory", "cc");
    __asm__ volatile("xor %%r10d,%%r10d; mov %%gs:0,%%r11; add %%r11,%%gs:(%%r10)\n"
                     "movups %%gs:(%%r10),%%xmm1; movups %%xmm1,%%gs:(%%r10,%%r10)"
                     :
                     :
                     : "r10", "r11", "xmm1", "memory", "cc");
    __asm__ volatile("rdgsbase %0" : "=r"(value)::"memory");
    mix(value == (uint64_t)block);
    __asm__ volatile("wrgsbase %0" ::"r"(base));
    return other + block[1] + block[3];
}

static void systems(void)
{
    uint64_t result = 20; /* getpid, of 32 bits */
    __asm__ volatile("int $0x80" : "+a"(result)::"memory", "r8", "r9", "r10", "r11");
    mix(result == (uint64_t)getpid());
    unsigned a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    mix(b ^ c ^ d);
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    mix(a | d);
    __asm__ volatile("rdtsc; rdtscp; sfence; lfence; mfence" ::: "rax", "rcx", "rdx");
}

static void numbers(int n)
{
    static unsigned char state[4096] __attribute__((aligned(64)));
    int rounded;
    uint16_t status;
    uint64_t shuffled;
    uint32_t control;
    __asm__ volatile("fninit; fldpi; fld1; fadd %%st(1),%%st; fxch; fyl2x; fistpl %0; fnstsw %1"
                     : "=m"(rounded), "=a"(status)::"st", "st(1)");
    mix((uint64_t)rounded * 65536 + status);
    __asm__ volatile(
        "movq %1,%%mm0; paddb %%mm0,%%mm0; pshufw $0x1b,%%mm0,%%mm1; movq %%mm1,%0; emms"
        : "=r"(shuffled)
        : "r"(0x0102030405060708 * (uint64_t)n)
        : "mm0", "mm1");
    mix(shuffled);
    __asm__ volatile("fxsave64 %0; stmxcsr %1" : "=m"(state), "=m"(control));
    mix(control & 0xffc0);
    __asm__ volatile("xor %%edx,%%edx; mov $3,%%eax; xsave64 %0; xrstor64 %0"
                     : "+m"(state)::"rax", "rdx");
    __int128 pair __attribute__((aligned(16))) = (__int128)n << 64 | 5;
    unsigned char same;
    uint64_t low = 5, high = (uint64_t)n;
    __asm__ volatile("lock cmpxchg16b %0; setz %1"
                     : "+m"(pair), "=q"(same), "+a"(low), "+d"(high)
                     : "b"(7L), "c"(8L));
    mix((uint64_t)(pair >> 64) * 2 + same);
}

int main(void)
{
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)(i * 37 + 11);
    for (int i = 0; i < 4096; i++)
        source[i] = (unsigned char)(i * 13);
    for (int n = 0; n < 100; n++) {
        strings(n);
        loops(n);
        flags(n);
        mix(return_far());
        mix(return_from_interrupt());
        mix(call_far());
        mix(through_segments(n));
        numbers(n);
        systems();
    }
    printf("%lx\n", sum);
    return 0;
}

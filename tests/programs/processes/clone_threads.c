/* Threads that libc knows nothing of: raw clone, no thread-local storage, waited for by futex. They
 * only compute and make raw system calls. */
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 64 << 10, THREADS = 5, ROUNDS = 40 };

struct task {
    int alive;
    uint64_t seed, result;
};

long raw_thread(unsigned long flags, void *stack, int *tid, struct task *task);
/* In the child: task in r12 becomes the argument; the end is exit(0). */
__asm__(
    ".text\nraw_thread:\n push %r12\n mov %rcx,%r12\n mov %rdx,%r10\n xor %r8d,%r8d\n mov "
    "$56,%eax\n"
    "syscall\n test %rax,%rax\n jnz 1f\n"
    "xor %ebp,%ebp\n mov %r12,%rdi\n call raw_body\n mov $60,%eax\n xor %edi,%edi\n syscall\n ud2\n"
    "1: pop %r12\n ret\n");

__attribute__((used, optimize("no-stack-protector"))) static void raw_body(struct task *task)
{
    uint64_t x = task->seed;
    for (int i = 0; i < 100000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_getpid) : "rcx", "r11", "memory");
    task->result = x + (result > 0);
}

int main(void)
{
    static struct task tasks[THREADS];
    static char *stacks[THREADS];
    unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                          CLONE_SYSVSEM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    uint64_t sum = 0;
    for (int i = 0; i < THREADS; i++)
        stacks[i] = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < THREADS; i++) {
            tasks[i] = (struct task){.alive = 1, .seed = round * 100 + i + 1};
            if (raw_thread(flags, stacks[i] + STACK, &tasks[i].alive, &tasks[i]) < 0)
                abort();
        }
        for (int i = 0; i < THREADS; i++) {
            int now;
            while ((now = __atomic_load_n(&tasks[i].alive, __ATOMIC_ACQUIRE)) != 0)
                syscall(SYS_futex, &tasks[i].alive, FUTEX_WAIT, now, NULL, NULL, 0);
            sum = sum * 31 + tasks[i].result;
        }
    }
    printf("%lx\n", sum);
    return 0;
}

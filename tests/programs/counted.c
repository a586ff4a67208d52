/* Does one thing a number of times that is known: in threads, in a forked child, in signal handlers
 * that come between any two instructions, and from code made at run time. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, IN_THREAD = 50000, IN_CHILD = 30000, FROM_MADE = 20000 };
enum { IN_HANDLER = 7, ALARMS = 50 };

static volatile unsigned long sum;
static volatile int alarms;

__attribute__((noinline)) static void turn(unsigned long n)
{
    sum = sum * 31 + n;
}

static void turns(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        turn(i);
}

static void *in_thread(void *closure)
{
    turns(IN_THREAD);
    return closure;
}

static void on_alarm(int signal)
{
    (void)signal;
    if (alarms == ALARMS) /* one that came when the timer was about to be stopped */
        return;
    turns(IN_HANDLER);
    alarms++;
}

/* push %rbx; mov %edi,%ebx; 1: mov %rbx,%rdi; call *%rsi would lose %rsi: it is kept on the stack.
 */
static void from_made_code(void)
{
    static const unsigned char code[] = {
        0x53,             /* push %rbx */
        0x55,             /* push %rbp */
        0x50,             /* push %rax */
        0x89, 0xfb,       /* mov %edi,%ebx */
        0x48, 0x89, 0xf5, /* mov %rsi,%rbp */
        0x89, 0xdf,       /* 1: mov %ebx,%edi */
        0xff, 0xd5,       /* call *%rbp */
        0xff, 0xcb,       /* dec %ebx */
        0x75, 0xf8,       /* jnz 1b */
        0x58,             /* pop %rax */
        0x5d,             /* pop %rbp */
        0x5b,             /* pop %rbx */
        0xc3,             /* ret */
    };
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    memcpy(at, code, sizeof code);
    void (*made)(unsigned, void (*)(unsigned long));
    memcpy(&made, &at, sizeof made);
    made(FROM_MADE, turn);
}

int main(void)
{
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, in_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    if (fork() == 0) {
        turns(IN_CHILD);
        return 0;
    }
    wait(NULL);
    from_made_code();
    signal(SIGALRM, on_alarm);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (alarms < ALARMS) /* on a machine of any speed */
        continue;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", THREADS * IN_THREAD + IN_CHILD + FROM_MADE + IN_HANDLER * alarms);
    return 0;
}

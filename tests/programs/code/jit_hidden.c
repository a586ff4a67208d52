/* Code made at run time that another thread hides for moments: whoever runs it meanwhile faults,
 * and the program's handler lets it try again. Copies of such code look at its bytes before they
 * run. */
/* link: -pthread */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS = 60, CALLS = 200000 };

static unsigned char *code;
static volatile sig_atomic_t faults;
static volatile int ended;

static void on_fault(int signal)
{
    (void)signal;
    faults++;
    usleep(50);
}

/* lea 3(%rdi),%rax; xor $5,%eax; ret */
static const unsigned char bytes[] = {0x48, 0x8d, 0x47, 0x03, 0x83, 0xf0, 0x05, 0xc3};

static void *work(void *result)
{
    uint64_t (*function)(uint64_t);
    uint64_t sum = 0;
    memcpy(&function, &code, sizeof function);
    for (int i = 0; i < CALLS || !ended; i++)
        sum = i < CALLS ? function(sum) + sum * 31 : sum + 0 * function(sum);
    *(uint64_t *)result = sum;
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault};
    uint64_t sum;
    pthread_t thread;
    code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, bytes, sizeof bytes);
    mprotect(code, PAGE, PROT_READ | PROT_EXEC);
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&thread, NULL, work, &sum);
    for (int i = 0; i < ROUNDS; i++) {
        mprotect(code, PAGE, PROT_NONE);
        usleep(200);
        mprotect(code, PAGE, PROT_READ | PROT_EXEC);
        usleep(300);
    }
    ended = 1;
    pthread_join(thread, NULL);
    printf("%lx\n", (unsigned long)sum);
    return faults < 0;
}

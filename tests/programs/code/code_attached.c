/* Code of a file that shared memory is attached over: what runs there afterwards is what the memory
 * holds, however far behind its start. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { BYTES = 256 << 10, AT = 128 << 10, ROUNDS = 3000000 };

typedef int function(int);

/* lea VALUE(%rdi),%eax; ret */
static void code_put(unsigned char *to, unsigned char value)
{
    const unsigned char code[] = {0x8d, 0x47, value, 0xc3};
    memcpy(to, code, sizeof code);
}

static function *code_map(char *base)
{
    FILE *file = tmpfile();
    unsigned char page[4096] = {0};
    code_put(page, 1);
    fwrite(page, 1, sizeof page, file);
    fflush(file);
    void *at = mmap(base + AT, sizeof page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
                    fileno(file), 0);
    fclose(file);
    return at == MAP_FAILED ? NULL : (function *)at;
}

static unsigned called(function *code)
{
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum = sum * 3 + (unsigned)code(i);
    return sum;
}

int main(void)
{
    int id = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0700);
    unsigned char *filled = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
    if (filled == (void *)-1) {
        puts("no shared memory");
        return 0;
    }
    code_put(filled + AT, 2);
    shmdt(filled);
    char *base = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    function *code = code_map(base);
    if (!code)
        return 1;
    printf("file %u\n", called(code));
    int attached = shmat(id, base, SHM_REMAP | SHM_EXEC | SHM_RDONLY) == base;
    printf("memory %d %u\n", attached, called(code));
    shmctl(id, IPC_RMID, NULL);
    return 0;
}

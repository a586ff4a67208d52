/* Changing who one is with threads running: libc tells every thread by a signal of its own. And
 * names, sessions, groups. Needs no privilege: all stay what they are. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static atomic_int finish;
static atomic_ulong spins;

static void *busy(void *unused)
{
    while (!finish)
        spins++;
    return unused;
}

int main(void)
{
    pthread_t id[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, busy, NULL);
    int failed = 0;
    for (int i = 0; i < 8; i++) {
        failed += setuid(getuid()) != 0;
        failed += setgid(getgid()) != 0;
        failed += setresuid(-1, geteuid(), -1) != 0;
    }
    prctl(PR_SET_NAME, "renamed");
    char name[16];
    prctl(PR_GET_NAME, name);
    finish = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
    printf("%d failed, %s, %s\n", failed, name, spins ? "spun" : "stood");
    return 0;
}

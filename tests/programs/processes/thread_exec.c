/* exec from a thread that is not the main one, with others busy: all of them end, the process
 * stays. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long spins;

static void *busy(void *unused)
{
    for (;;)
        spins++;
    return unused;
}

static void *becomes(void *argv)
{
    char **words = argv;
    char left[16], pid[16];
    snprintf(left, sizeof left, "%d", atoi(words[1]) - 1);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    usleep(2000);
    execl("/proc/self/exe", words[0], left, pid, (char *)NULL);
    abort();
}

int main(int argc, char **argv)
{
    static char *first[] = {"thread_exec", "6", NULL};
    if (argc < 2)
        argv = first;
    if (argc > 2)
        printf("%s left, %s process\n", argv[1], atoi(argv[2]) == getpid() ? "same" : "another");
    fflush(stdout);
    if (strcmp(argv[1], "0") == 0)
        return 6;
    pthread_t id[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, busy, NULL);
    pthread_create(&id[2], NULL, becomes, argv);
    busy(NULL);
}

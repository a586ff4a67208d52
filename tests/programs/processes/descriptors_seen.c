/* Looks for open descriptors, in every way: none but its own may be there, also after it has been
 * at work for a while. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIED_MAX = 70000 };
static volatile uint64_t sum;

static void toil(double seconds)
{
    clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < until)
        for (int i = 0; i < 10000; i++)
            sum = sum * 5 + 1;
}

static void *toil_too(void *unused)
{
    toil(0.05);
    return unused;
}

static void look(const char *when)
{
    long most = sysconf(_SC_OPEN_MAX);
    struct stat stat;
    printf("%s: fstat", when);
    for (int fd = 0; fd < most && fd < TRIED_MAX; fd++)
        if (fstat(fd, &stat) == 0)
            printf(" %d", fd);
    printf("; fcntl");
    for (int fd = 0; fd < most && fd < TRIED_MAX; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    DIR *directory = opendir("/proc/self/fd");
    int n = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        n += entry->d_name[0] != '.';
    closedir(directory);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("; %d in the directory; of at most %ld, %lu\n", n, most, (unsigned long)limit.rlim_max);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argc;
    pthread_t id;
    look(argc > 1 ? "child, first" : "first");
    pthread_create(&id, NULL, toil_too, NULL);
    toil(0.1);
    look(argc > 1 ? "child, then" : "then");
    pthread_join(id, NULL);
    if (argc > 1)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        look("fork");
        execl("/proc/self/exe", argv[0], "child", NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    return 0;
}

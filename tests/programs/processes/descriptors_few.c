/* Processes that may have few descriptors, with and without the right to have more: all they open
 * has the lowest free number, also after they have been at work for a while, and they can have as
 * many as they may. */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static volatile unsigned long sum;

static void toil(void)
{
    clock_t until = clock() + CLOCKS_PER_SEC / 10;
    while (clock() < until)
        for (int i = 0; i < 10000; i++)
            sum = sum * 5 + 1;
}

static void look(const char *when)
{
    struct rlimit limit;
    int first = open("/dev/null", O_RDONLY), last = first, n = 0;
    for (int fd = first; fd >= 0; fd = open("/dev/null", O_RDONLY)) {
        last = fd;
        n++;
    }
    for (int fd = first; fd <= last; fd++)
        if (fd != 1)
            close(fd);
    getrlimit(RLIMIT_NOFILE, &limit);
    dprintf(1, "%s: %d from %d to %d, of at most %lu, %lu\n", when, n, first, last,
            (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
}

/* That of raising limits; whoever has no rights has none to give up. */
static void give_up_right(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct rights[2];
    if (syscall(SYS_capget, &header, rights))
        return;
    rights[0].effective &= ~CAP_TO_MASK(CAP_SYS_RESOURCE);
    rights[0].permitted &= ~CAP_TO_MASK(CAP_SYS_RESOURCE);
    rights[0].inheritable &= ~CAP_TO_MASK(CAP_SYS_RESOURCE);
    syscall(SYS_capset, &header, rights);
}

/* A daemon: without standard input and error output, so that the lowest number is 0. */
static void child(const char *when)
{
    pid_t pid = fork();
    if (pid == 0) {
        closefrom(2);
        close(0);
        toil();
        look(when);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

int main(void)
{
    closefrom(3); /* whatever it was started with */
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){MOST, MOST});
    look("first");
    toil();
    look("then");
    child("child");
    give_up_right();
    child("child without the right");
    return 0;
}

/* Two processes that wake each other through pipes, so many times. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int pass(int from, int to, int times)
{
    char byte = 0;
    for (int i = 0; i < times; i++)
        if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1000, there[2], back[2], status = 1;
    if (pipe(there) < 0 || pipe(back) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0)
        _exit(pass(there[0], back[1], times));
    if (write(there[1], "x", 1) != 1 || pass(back[0], there[1], times - 1) != 0)
        return 1;
    char byte;
    if (read(back[0], &byte, 1) != 1 || waitpid(child, &status, 0) < 0)
        return 1;
    puts("done");
    return status;
}

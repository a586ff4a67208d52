#include "cmd/options/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t reader;

static const char *pager_command(void)
{
    const char *own = getenv("GAIT_PAGER"), *usual = getenv("PAGER");
    if (own)
        return own;
    return usual ? usual : "command -v less >/dev/null && exec less || exec cat";
}

/* less: leaves if all fits on a screen, shows colours, keeps the text on the screen. */
static void pager_run(const char *command, int from)
{
    dup2(from, STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void pager_begin(void)
{
    const char *command = pager_command();
    int ends[2];
    if (!isatty(STDOUT_FILENO) || !*command || strcmp(command, "cat") == 0 || pipe(ends) != 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        pager_run(command, ends[0]);
    }
    close(ends[0]);
    if (pid > 0) {
        dup2(ends[1], STDOUT_FILENO);
        signal(SIGPIPE, SIG_IGN);
        reader = pid;
    }
    close(ends[1]);
}

bool pager_end(void)
{
    if (!reader)
        return false;
    fclose(stdout);
    while (waitpid(reader, NULL, 0) < 0)
        ;
    reader = 0;
    return true;
}

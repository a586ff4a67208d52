#include "cmd/view/browser.h"

#include "base/err.h"
#include "base/private_file.h"
#include "base/scope.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the door */

/* The first of the usual places where a folder can be made. */
static bool folder_make(struct door *door)
{
    const char *const places[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || *places[i] != '/') /* the browser may have another folder than we have */
            continue;
        int n = snprintf(door->folder, sizeof door->folder, "%s/gait-view-XXXXXX", places[i]);
        if (n < (int)sizeof door->folder && mkdtemp(door->folder)) /* of mode 0700 */
            return true;
    }
    return false;
}

bool door_make(struct door *ret_door, const char *url, struct err *err)
{
    struct door door;
    if (!folder_make(&door))
        return err_errno(err, "cannot make a folder for the browser's first page");
    snprintf(door.path, sizeof door.path, "%s/view.html", door.folder);
    int fd = private_file_open(door.path);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    bool good = to && fprintf(to,
                              "<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>gait view</title>\n"
                              "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
                              "<p><a href=\"%s\">gait view</a></p>\n",
                              url, url) > 0;
    if (!to && fd >= 0)
        close(fd);
    good = to && fclose(to) == 0 && good;
    if (!good) {
        err_errno(err, "cannot write %s", door.path);
        door_remove(&door);
        return false;
    }
    *ret_door = door;
    return true;
}

void door_remove(struct door *door)
{
    if (!*door->path)
        return;
    unlink(door->path);
    rmdir(door->folder);
    *door = (struct door){0};
}

/* ---- the browser */

bool browser_has_display(void)
{
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
}

/* Says it when no browser could be opened. */
static _Noreturn void browser_watch(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        int nothing = open("/dev/null", O_RDWR);
        /* The server's are not for it. */
        signal(SIGPIPE, SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(EXIT_NOT_FOUND);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        say("no browser was opened (%s): open the address yourself",
            WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND ? "xdg-open is not installed"
                                                                       : "xdg-open failed");
    _exit(0);
}

void browser_open(const struct door *door)
{
    pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) /* nobody's child: nobody has to wait for it */
            _exit(0);
        setsid();
        /* A browser that kept the server's socket would keep its port. */
        syscall(SYS_close_range, 3u, ~0u, 0u);
        browser_watch(door->path);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

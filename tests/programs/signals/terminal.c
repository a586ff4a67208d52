/* A child on a terminal of its own: line editing, an interrupt typed, a window that changes its
 * size, job control; both sides are this program. */
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
/* link: -lutil */

static volatile int interrupted, resized;
static void on_signal(int signal)
{
    if (signal == SIGINT)
        interrupted++;
    else
        resized++;
}

static int child(void)
{
    char line[200];
    struct winsize size;
    signal(SIGINT, on_signal);
    signal(SIGWINCH, on_signal);
    printf("tty %d, ready\n", isatty(0));
    while (!fgets(line, sizeof line, stdin) && errno == EINTR)
        clearerr(stdin);
    printf("got %s", line);
    puts("interrupt me");
    while (!interrupted)
        usleep(1000);
    puts("resize me");
    while (!resized)
        usleep(1000);
    ioctl(0, TIOCGWINSZ, &size);
    printf("size %d %d\n", size.ws_row, size.ws_col);
    struct termios raw;
    tcgetattr(0, &raw);
    cfmakeraw(&raw);
    tcsetattr(0, TCSANOW, &raw);
    printf("press a key\n");
    fflush(stdout);
    char key = 0;
    if (read(0, &key, 1) != 1)
        abort();
    printf("key %d\n", key);
    return 12;
}

/* Reads what the child says until it says this. */
static void expect(int fd, const char *text)
{
    static char said[4096];
    static size_t n;
    while (!strstr(said, text)) {
        ssize_t more = read(fd, said + n, sizeof said - 1 - n);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    printf("saw '%s': %s\n", text, strstr(said, text) ? "yes" : "no");
}

int main(void)
{
    int fd;
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    pid_t pid = forkpty(&fd, NULL, NULL, &size);
    if (pid < 0) {
        puts("no terminals here");
        return 0;
    }
    if (pid == 0) {
        setvbuf(stdout, NULL, _IONBF, 0);
        exit(child());
    }
    expect(fd, "tty 1, ready");
    if (write(fd, "hellp\177o\n", 8) != 8)
        abort();
    expect(fd, "got hello");
    expect(fd, "interrupt me");
    if (write(fd, "\003", 1) != 1)
        abort();
    expect(fd, "resize me");
    size.ws_col = 132;
    ioctl(fd, TIOCSWINSZ, &size);
    expect(fd, "size 24 132");
    expect(fd, "press a key");
    if (write(fd, "\003", 1) != 1)
        abort();
    expect(fd, "key 3");
    int status;
    waitpid(pid, &status, 0);
    printf("ended with %d\n", WEXITSTATUS(status));
    return 0;
}

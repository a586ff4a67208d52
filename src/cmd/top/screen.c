#include "cmd/top/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void size_read(struct screen *screen)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    screen->rows = size.ws_row > 0 ? size.ws_row : 24;
    screen->columns = size.ws_col > 0 ? size.ws_col : 80;
}

static int resized_open(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool screen_begin(struct screen *screen)
{
    *screen = (struct screen){.resized_fd = -1};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &screen->before))
        return false;
    struct termios raw = screen->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* who is stopped here leaves a shell without echo */
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    screen->resized_fd = resized_open();
    size_read(screen);
    fputs("\033[?1049h\033[?25l\033[?7l", stdout); /* another screen, no cursor, no wrapping */
    fflush(stdout);
    screen->on = true;
    return true;
}

void screen_end(struct screen *screen)
{
    if (!screen->on)
        return;
    screen->on = false;
    fputs("\033[?7h\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &screen->before);
    close(screen->resized_fd);
}

bool screen_resized(struct screen *screen)
{
    struct signalfd_siginfo info;
    int rows = screen->rows, columns = screen->columns;
    while (read(screen->resized_fd, &info, sizeof info) > 0)
        ;
    size_read(screen);
    return rows != screen->rows || columns != screen->columns;
}

/* ---- keys */

static void typed_read(struct screen *screen)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    size_t room = sizeof screen->typed - screen->n_typed;
    if (!room || poll(&input, 1, 0) <= 0)
        return;
    ssize_t n = read(STDIN_FILENO, screen->typed + screen->n_typed, room);
    if (n > 0)
        screen->n_typed += (size_t)n;
    else if ((n < 0 && errno != EINTR && errno != EAGAIN) || input.revents & POLLHUP)
        screen->ended = true;
}

static const struct {
    const char *bytes;
    int key;
} sequences[] = {
    {"\033[A", KEY_UP},         {"\033OA", KEY_UP},    {"\033[B", KEY_DOWN},
    {"\033OB", KEY_DOWN},       {"\033[C", KEY_RIGHT}, {"\033OC", KEY_RIGHT},
    {"\033[D", KEY_LEFT},       {"\033OD", KEY_LEFT},  {"\033[5~", KEY_PAGE_UP},
    {"\033[6~", KEY_PAGE_DOWN}, {"\r", KEY_ENTER},     {"\n", KEY_ENTER},
    {"\177", KEY_BACK},         {"\b", KEY_BACK},
};

/* How long the sequence is that begins there: a terminal has more of them than are known here. */
static size_t sequence_bytes(const char *at, size_t n)
{
    size_t i = 2;
    if (n < 2 || (at[1] != '[' && at[1] != 'O'))
        return 1;
    while (i < n && (at[i] < '@' || at[i] > '~'))
        i++;
    return i < n ? i + 1 : n;
}

static int typed_take(struct screen *screen, size_t bytes, int key)
{
    screen->n_typed -= bytes;
    memmove(screen->typed, screen->typed + bytes, screen->n_typed);
    return key;
}

int screen_key(struct screen *screen)
{
    typed_read(screen);
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        size_t bytes = strlen(sequences[i].bytes);
        if (bytes <= screen->n_typed && !memcmp(screen->typed, sequences[i].bytes, bytes))
            return typed_take(screen, bytes, sequences[i].key);
    }
    if (!screen->n_typed)
        return screen->ended ? KEY_END : KEY_NONE;
    if (screen->typed[0] != '\033')
        return typed_take(screen, 1, (unsigned char)screen->typed[0]);
    size_t bytes = sequence_bytes(screen->typed, screen->n_typed);
    if (bytes == 1)
        return typed_take(screen, 1, KEY_BACK); /* Escape itself */
    typed_take(screen, bytes, KEY_NONE);
    return screen_key(screen);
}

/* ---- drawing */

/* A marked row has one colour: those of its text would end the mark. */
static void row_show(const char *text, size_t bytes, bool marked)
{
    /* Cleared first, with the mark up to the edge: behind a full row it would take its last letter.
     */
    fputs(marked ? "\033[7m\033[K" : "\033[K", stdout);
    for (size_t i = 0; i < bytes; i++) {
        if (marked && text[i] == '\033') {
            while (i < bytes && text[i] != 'm')
                i++;
            continue;
        }
        fputc(text[i], stdout);
    }
    fputs("\033[0m", stdout);
}

void screen_show(const struct screen *screen, const char *text, size_t marked)
{
    size_t row = 0;
    fputs("\033[H", stdout);
    while (*text && row < (size_t)screen->rows) {
        size_t bytes = strcspn(text, "\n");
        if (row)
            fputs("\r\n", stdout);
        row_show(text, bytes, row == marked);
        text += bytes + (text[bytes] == '\n');
        row++;
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

/* System calls that a sampled walk makes itself, each with a result that is known, and those that
 * send their own thread a signal, whose handler must run before the next instruction. A timer's
 * signals come meanwhile. Prints ok, or what went wrong. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 64 };

static volatile sig_atomic_t broken_pipes, large_files, alarms;
static unsigned long word;

static void on_signal(int signal)
{
    if (signal == SIGPIPE)
        broken_pipes++;
    else if (signal == SIGXFSZ)
        large_files++;
    else
        alarms++;
}

static void expect(int holds, const char *what, long round)
{
    if (holds)
        return;
    printf("%s, round %ld\n", what, round);
    exit(1);
}

static void work(void)
{
    for (int i = 0; i < 50; i++)
        word = word * 3 + (unsigned long)i;
}

static void files(int file, long round)
{
    char out[BYTES], in[BYTES];
    memset(out, (int)round, sizeof out);
    work();
    expect(pwrite(file, out, sizeof out, 0) == BYTES, "pwrite", round);
    expect(lseek(file, 0, SEEK_SET) == 0, "lseek", round);
    expect(read(file, in, sizeof in) == BYTES && !memcmp(in, out, sizeof in), "read", round);
    expect(read(file, in, sizeof in) == 0, "read at the end", round);
    work();
    struct stat status;
    expect(fstat(file, &status) == 0 && status.st_size == BYTES, "fstat", round);
    struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
    expect(fcntl(file, F_SETLK, &lock) == 0, "lock", round);
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 10);
    expect(copy >= 10 && close(copy) == 0 && close(copy) < 0 && errno == EBADF, "close", round);
}

/* A write beyond the limit: the handler runs before the call returns. */
static void limits(int file, long round)
{
    long before = large_files;
    expect(pwrite(file, "x", 1, 1 << 20) < 0 && errno == EFBIG, "a write beyond the limit", round);
    expect(large_files == before + 1, "SIGXFSZ comes late", round);
    work();
}

/* Alarms interrupt it, natively too. */
static int poll_one(int fd, int timeout)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&one, 1, timeout);
    while (n < 0 && errno == EINTR);
    return n;
}

static void pipes(const int *broken, const int *waits, const int *ready, long round)
{
    char byte;
    long before = broken_pipes;
    expect(write(broken[1], "x", 1) < 0 && errno == EPIPE, "a write to a broken pipe", round);
    expect(broken_pipes == before + 1, "SIGPIPE comes late", round);
    expect(read(waits[0], &byte, 1) < 0 && errno == EAGAIN, "an empty pipe", round);
    work();
    struct iovec out = {"y", 1};
    expect(writev(ready[1], &out, 1) == 1, "writev", round);
    expect(poll_one(ready[0], 1000) == 1, "poll", round);
    expect(read(ready[0], &byte, 1) == 1 && byte == 'y', "read from a pipe", round);
    expect(poll_one(ready[0], 0) == 0, "poll an empty pipe", round);
}

static void sockets(const int *pair, long round)
{
    char in[2 * BYTES];
    expect(send(pair[0], in, BYTES, MSG_DONTWAIT) == BYTES, "send", round);
    expect(write(pair[0], in, BYTES) == BYTES, "write to a socket", round);
    work();
    expect(read(pair[1], in, sizeof in) == 2 * BYTES, "read from a socket", round);
    expect(recv(pair[1], in, sizeof in, MSG_DONTWAIT) < 0 && errno == EAGAIN, "recv", round);
}

static void memory(long round)
{
    char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(at != MAP_FAILED, "mmap", round);
    at[PAGE] = (char)round;
    expect(mprotect(at, PAGE, PROT_READ) == 0, "mprotect", round);
    expect(madvise(at + PAGE, PAGE, MADV_DONTNEED) == 0 && at[PAGE] == 0, "madvise", round);
    work();
    expect(munmap(at, 4 * PAGE) == 0, "munmap", round);
}

/* Code that changes under raw system calls. */
static void code(unsigned char *at, long round)
{
    int value = (int)round;
    expect(syscall(SYS_mprotect, at, PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect", round);
    at[0] = 0xb8;
    memcpy(at + 1, &value, 4);
    at[5] = 0xc3;
    expect(syscall(SYS_mprotect, at, PAGE, PROT_READ | PROT_EXEC) == 0, "mprotect", round);
    expect(((int (*)(void))(void *)at)() == value, "code that changed", round);
}

static void listing(long round)
{
    DIR *folder = opendir(".");
    int n = 0;
    expect(folder != NULL, "opendir", round);
    while (readdir(folder))
        n++;
    expect(n >= 2 && closedir(folder) == 0, "readdir", round);
}

static void signals_start(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 700}, {0, 700}};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 3000;
    char name[] = "/tmp/gait-calls-XXXXXX";
    int file = mkstemp(name), broken[2], waits[2], ready[2], pair[2];
    struct rlimit limit = {1 << 20, 1 << 20};
    unsigned char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signals_start();
    if (file < 0 || pipe2(broken, O_NONBLOCK) || pipe2(waits, O_NONBLOCK) || pipe(ready) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || setrlimit(RLIMIT_FSIZE, &limit) ||
        page == MAP_FAILED)
        return 1;
    unlink(name);
    close(broken[0]);
    for (long i = 0; i < rounds; i++) {
        files(file, i);
        limits(file, i);
        pipes(broken, waits, ready, i);
        sockets(pair, i);
        memory(i);
        code(page, i);
        if (i % 16 == 0)
            listing(i);
    }
    puts(alarms ? "ok" : "no alarm came");
    return !alarms;
}

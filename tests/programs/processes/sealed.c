/* sealed HOW CALL... -- PROGRAM...: runs a program behind a seccomp filter that answers the calls
 * by number with an errno ("1": EPERM) or, where HOW is "kill", with death. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sock_filter filter[64] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short n = 1;
    int at = 2;
    unsigned answer = argc > 1 && strcmp(argv[1], "kill") == 0
                          ? SECCOMP_RET_KILL_PROCESS
                          : SECCOMP_RET_ERRNO | (unsigned)atoi(argc > 1 ? argv[1] : "1");
    for (; at < argc && strcmp(argv[at], "--") != 0 && n < 60; at++) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(argv[at]), 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = filter};
    if (at + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("sealed");
        return 77;
    }
    execvp(argv[at + 1], argv + at + 1);
    perror(argv[at + 1]);
    return 127;
}

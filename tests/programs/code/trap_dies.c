/* Dies of an instruction that is no instruction, right behind a branch to it. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    puts("to its death");
    fflush(stdout);
    if (argc >= 1)
        __builtin_trap();
    return 0;
}

/* The exact run: threads live on copies of their code; every block and edge is counted or traced.
 */
#pragma once

#include <stdint.h>

struct thread;

/* Returns to its caller in the code cache: from there on the thread runs on copies. */
void exact_take_over(struct thread *thread);
/* Begins the program at pc with that stack; registers are as execve leaves them. */
__attribute__((noreturn)) void exact_start(uint64_t pc, uint64_t sp);

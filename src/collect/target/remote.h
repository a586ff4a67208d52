/* The memory of another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

bool remote_read(int pid, uint64_t at, void *ret_bytes, size_t n, struct err *err);
bool remote_write(int pid, uint64_t at, const void *bytes, size_t n, struct err *err);
/* The address of a `syscall` instruction in mapped code; in the vDSO if there is one. */
bool remote_find_syscall(int pid, uint64_t *ret_at, struct err *err);

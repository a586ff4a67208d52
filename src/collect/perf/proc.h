/* What /proc says of running processes. Unreadable means absent: processes end meanwhile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;

/* Executable mappings, by address. ids.pid is set, the time is not. */
void proc_read_maps(int pid, void (*each)(void *closure, const struct perf_mapping *mapping),
                    void *closure);
/* "" if it cannot be read. */
void proc_read_name(int pid, int tid, char ret_name[16]);
/* Calls `each` for each thread; false: no such process. */
bool proc_each_thread(int pid, void (*each)(void *closure, int tid), void *closure);

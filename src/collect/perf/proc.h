/* What /proc says of running processes. Unreadable means absent: processes end meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_mapping;

/* Executable mappings, by address. ids.pid is set, the time is not. */
void proc_read_maps(int pid, void (*each)(void *closure, const struct perf_mapping *mapping),
                    void *closure);
/* "" if it cannot be read. */
void proc_read_name(int pid, int tid, char ret_name[16]);
/* Calls `each` for each thread; false: no such process. */
bool proc_each_thread(int pid, void (*each)(void *closure, int tid), void *closure);
/* Processes that it has started, that these have, and so on: at most `room`. Returns how many there
 * are. Needs CONFIG_PROC_CHILDREN, as all distributions have it; else there are none. */
size_t proc_descendants(int pid, int *ret_pids, size_t room);

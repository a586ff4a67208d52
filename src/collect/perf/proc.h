/* What /proc tells of processes that run already. Whatever cannot be read is as if it were not
 * there: processes end while they are looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct perf_mapping;

/* Executable mappings only, by address. ids.pid is set, the time is not. */
void proc_read_maps(int pid, void (*each)(void *closure, const struct perf_mapping *mapping),
                    void *closure);
/* "" if it cannot be read. */
void proc_read_name(int pid, int tid, char ret_name[16]);
/* Calls for each thread; false: there is no such process. */
bool proc_each_thread(int pid, void (*each)(void *closure, int tid), void *closure);

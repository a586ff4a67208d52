/* Where the dynamic loader of another process keeps its list of modules. */
#pragma once

#include <stdint.h>

/* The address of its struct r_debug; 0: no loader, or it has not got that far. */
uint64_t remote_loader(int pid);

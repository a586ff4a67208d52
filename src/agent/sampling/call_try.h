/* System calls that may wait, tried in a form that does not. If there is nothing to wait for, the
 * outcome is that of the call itself; else nothing has happened, and the program makes the call
 * natively. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A read from, or a write to, a pipe or socket that may block. */
bool call_try_stream(const uint64_t *gpr, bool socket, long *ret_result);
/* recvfrom and recvmsg. */
bool call_try_receive(const uint64_t *gpr, long *ret_result);
/* poll and epoll_wait, and their kin with a signal mask. That mask matters only while they wait. */
bool call_try_poll(const uint64_t *gpr, long *ret_result);

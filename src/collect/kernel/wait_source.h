/* What is known of waits, and from whom: a sentence for people who look at them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct perf_request;
struct wait_pace;

/* "" if switches are not reported either. elapsed_ns: of the recording, as far as it had waits. */
const char *wait_source_text(char *text, size_t room, const struct perf_request *request,
                             const struct wait_pace *pace, uint64_t now_ns, uint64_t began_ns);

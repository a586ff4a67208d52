/* Notes what is attached to, before anything else is known of it. */
#pragma once

#include <stddef.h>

struct profile;

/* The fact FACT_ATTACHED. Of several processes only if all that can be read run one program. */
void attached_describe(struct profile *head, const int *pids, size_t n);

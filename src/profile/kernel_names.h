/* Names of kernel code, for sampled addresses: only /proc/kallsyms of the running kernel has them.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_table;
struct profile;

struct kernel_names {
    struct map addresses; /* sampled, uint64_t */
    size_t named;         /* of them: looked up */
};

void kernel_names_init(struct kernel_names *names);
void kernel_names_release(struct kernel_names *names);

static inline void kernel_names_see(struct kernel_names *names, uint64_t address)
{
    map_add(&names->addresses, &address);
}

/* Adds the names of sampled kernel code that has none yet, if the profile was recorded since this
 * kernel was started: recordings leave it to whoever looks, for the names are read in 50 ms. */
void kernel_names_complete(struct profile *profile);
/* The same for many profiles, with one table that is read when it is first needed; empty before. */
void kernel_names_complete_many(struct profile *profile, struct kernel_table *table);
/* "boot_id": the fact that says by which kernel, since it was started. */
const char *kernel_names_boot(char *text, size_t room);
/* Adds the names of addresses since the last call to the module of the profile. Does nothing if
 * /proc/kallsyms hides addresses (kernel.kptr_restrict). */
void kernel_names_tell(struct kernel_names *names, struct profile *profile, uint32_t module);
/* The same from a table that is read already. */
void kernel_names_tell_table(struct kernel_names *names, struct profile *profile, uint32_t module,
                             const struct kernel_table *table);
/* The same with another file, for tests. */
void kernel_names_tell_from(struct kernel_names *names, struct profile *profile, uint32_t module,
                            const char *path);

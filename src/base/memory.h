/* Allocation for the tool. Out of memory ends it: there is nothing useful left to do.
 *
 * An arena owns everything that lives as long as one image, one profile or one query. */
#pragma once

#include <stddef.h>

void *mem_alloc(size_t bytes);             /* zeroed */
void *mem_resize(void *old, size_t bytes); /* the grown part is not zeroed */
void mem_free(void *block);
/* Call before tens of megabytes are used within milliseconds. It only makes that faster. */
void mem_expect_much(void);
/* Memory that is freed will be needed again: up to 64 MiB are not given back to the system, which
 * would have to clear their pages. */
void mem_keep_freed(void);
/* So much more will be used soon: its pages are got now, when nobody waits for them. */
void mem_expect(size_t bytes);

struct arena {
    struct arena_chunk *last;
};

/* Zeroed, aligned to 16. Freed only by arena_release, which leaves an empty arena. */
void *arena_alloc(struct arena *arena, size_t bytes);
char *arena_string(struct arena *arena, const char *text);
char *arena_string_n(struct arena *arena, const char *text, size_t length);
__attribute__((format(printf, 2, 3))) char *arena_format(struct arena *arena, const char *format,
                                                         ...);
/* What was allocated in the other lives as long as the arena now. */
void arena_join(struct arena *arena, struct arena *other);
void arena_release(struct arena *arena);

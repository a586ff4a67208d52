#include "values/physical_pages.h"

#include "base/err.h"
#include "profile/value_kinds.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PAGE_BITS = 12 };

/* Physical address of the page; 0: not in memory, or the kernel does not tell. */
static uint64_t page_read(int fd, uint64_t page)
{
    const uint64_t present = UINT64_C(1) << 63, frame = (UINT64_C(1) << 55) - 1;
    uint64_t entry = 0;
    if (page > INT64_MAX / sizeof entry ||
        pread(fd, &entry, sizeof entry, (off_t)(page * sizeof entry)) != sizeof entry)
        return 0;
    return entry & present ? (entry & frame) << PAGE_BITS : 0;
}

bool physical_pages_permitted(struct err *err)
{
    volatile char here = 1; /* its page is in memory */
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    uint64_t physical = fd < 0 ? 0 : page_read(fd, (uint64_t)(uintptr_t)&here >> PAGE_BITS);
    if (fd >= 0)
        close(fd);
    return physical ||
           err_set(err, ERR_SYSTEM,
                   fd < 0 ? "--events page: /proc/self/pagemap cannot be opened"
                          : "--events page: the kernel tells physical pages only to those with "
                            "CAP_SYS_ADMIN; record as root, outside of user namespaces");
}

void physical_pages_init(struct physical_pages *pages, struct value_lists *lists)
{
    *pages = (struct physical_pages){.lists = lists, .fd = -1};
}

void physical_pages_release(struct physical_pages *pages)
{
    if (pages->fd >= 0)
        close(pages->fd);
    vec_release(&pages->places);
}

static uint64_t physical_of(struct physical_pages *pages, uint64_t address)
{
    uint64_t page = address >> PAGE_BITS;
    struct physical_page *known = &pages->known[page % PHYSICAL_KNOWN];
    if (known->window != pages->window || known->page != page)
        *known = (struct physical_page){pages->window, page, page_read(pages->fd, page)};
    return known->physical;
}

static void event_see(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct physical_pages *pages = (struct physical_pages *)consumer;
    const struct units *units = pages->lists->places.units;
    if (event->item->kind > PAYLOAD_DESTINATION || event->at.module == MODULE_NONE ||
        !value_places_keep(&pages->lists->places, event->at))
        return;
    uint64_t physical = physical_of(pages, event->words[0]);
    if (!physical) {
        pages->unknown++;
        return;
    }
    uint32_t *place = &pages->places.at[event->item - units->payload.at];
    if (!*place)
        *place = 1 + value_lists_place(pages->lists, event->at, VALUE_OF_PAGE);
    value_lists_see(pages->lists, *place - 1, physical, pages->lists->weight);
}

void physical_pages_window(struct physical_pages *pages, const struct payload_window *window)
{
    const struct units *units = pages->lists->places.units;
    struct payload_consumer *consumers[] = {&pages->consumer};
    struct payload_sum sum = {0};
    char path[32];
    pages->consumer.event = event_see;
    if (!pages->tried) {
        snprintf(path, sizeof path, "/proc/%d/pagemap", units->mappings->pid);
        pages->fd = open(path, O_RDONLY | O_CLOEXEC);
        pages->tried = true;
    }
    while (pages->places.n < units->payload.n)
        *vec_push(&pages->places) = 0;
    pages->window++;
    payloads_read(units, window, &sum, consumers, 1);
}

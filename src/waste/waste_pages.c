#include "waste/waste_pages.h"

enum { PAGE_BITS = 12 };

void waste_pages_init(struct waste_pages *pages)
{
    *pages = (struct waste_pages){0};
    map_init(&pages->pages, sizeof(uint64_t));
    map_init(&pages->tids, sizeof(int32_t));
}

void waste_pages_release(struct waste_pages *pages)
{
    map_release(&pages->pages);
    map_release(&pages->tids);
    vec_release(&pages->at);
    vec_release(&pages->own);
}

void waste_pages_window(struct waste_pages *pages, int32_t tid)
{
    uint32_t index = map_add(&pages->tids, &tid);
    if (index == pages->own.n)
        *vec_push(&pages->own) = 0;
    pages->tid = tid;
    pages->others = pages->windows - pages->own.at[index];
    pages->own.at[index]++;
    pages->windows++;
    pages->last = 0;
}

bool waste_pages_touch(struct waste_pages *pages, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    if (pages->last == number + 1)
        return pages->last_alone;
    pages->last = number + 1;
    pages->last_alone = false;
    if (pages->pages.n >= WASTE_PAGES_MAX && map_find(&pages->pages, &number) == MAP_NONE)
        return false;
    uint32_t index = map_add(&pages->pages, &number);
    if (index == pages->at.n)
        *vec_push(&pages->at) = (struct waste_page){pages->tid, pages->others};
    struct waste_page *page = &pages->at.at[index];
    if (page->tid != pages->tid)
        page->tid = 0;
    pages->last_alone = page->tid && pages->others - page->windows >= WASTE_OTHERS_WINDOWS;
    return pages->last_alone;
}

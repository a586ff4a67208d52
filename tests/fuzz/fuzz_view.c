/* Reads any bytes as a profile and looks at it in every view: whatever a profile claims, looking at
 * it ends, does no harm, and gives JSON. Modules that exist are opened, so that addresses in them
 * are asked for too. */
#include "base/err.h"
#include "profile/file/file.h"
#include "analysis/report/context_rows.h"
#include "analysis/report/contexts.h"
#include "analysis/report/diff.h"
#include "text/ink.h"
#include "analysis/report/report.h"
#include "analysis/verify/verify.h"
#include "analysis/windows/lengths.h"
#include "analysis/windows/window_detail.h"

#include "../unit/text/json_check.h"
#include "view/views.h"
#include "mend.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct page {
    char *text;
    size_t n;
    FILE *to;
};

static void page_begin(struct page *page)
{
    *page = (struct page){0};
    page->to = open_memstream(&page->text, &page->n);
    ASSERT(page->to);
}

static void page_end(struct page *page, bool json)
{
    ASSERT(fclose(page->to) == 0);
    ASSERT(!json || json_is_valid(page->text));
    free(page->text);
}

static void report_all(struct scene *scene)
{
    for (int by = BY_FUNCTION; by <= BY_INLINE; by++) {
        struct report report;
        struct err err;
        struct page page;
        if (!report_make(&report, scene, (struct report_options){.by = (enum item_by)by}, &err))
            continue;
        page_begin(&page);
        report_text(page.to, &report, &(struct ink){false}, 20);
        page_end(&page, false);
        page_begin(&page);
        report_json(page.to, &report, SIZE_MAX);
        page_end(&page, true);
        report_release(&report);
    }
}

static void contexts_all(struct scene *scene)
{
    for (unsigned i = 0; i < 12; i++) {
        struct err err;
        struct plain plain;
        struct calling_contexts contexts;
        struct page page;
        struct contexts_options options = {.form = (enum contexts_form)(i % 3),
                                           .threads = i & 1,
                                           .sites = i & 2,
                                           .unfolded = i & 4,
                                           .no_inlines = i & 8,
                                           .function = i == 11 ? "*a*" : NULL};
        ASSERT(plain_open(&plain, scene, 0, (struct plain_filter){.kernel = i & 1}, &err));
        contexts_make(&contexts, &plain, options);
        struct context_rows rows;
        ASSERT(context_rows_make(&rows, &contexts, (struct context_choice){.limit = 20}, &err));
        page_begin(&page);
        contexts_json(page.to, &contexts, &rows);
        page_end(&page, true);
        context_rows_release(&rows);
        contexts_release(&contexts);
        contexts_make(&contexts, &plain, options);
        contexts_weigh(&contexts, NULL, 0);
        page_begin(&page);
        contexts_text(page.to, &contexts, NULL, (struct contexts_text_options){0.005, 50, 20});
        page_end(&page, false);
        contexts_release(&contexts);
        plain_close(&plain);
    }
}

static void diff_all(struct scene *scene)
{
    for (int by = DIFF_FUNCTION; by <= DIFF_MODULE; by++) {
        struct err err;
        struct diff diff;
        struct page page;
        ASSERT(diff_make(&diff, scene, scene, (struct diff_options){.by = (enum diff_by)by}, &err));
        for (size_t i = 0; i < diff.n; i++)
            ASSERT(!diff.at[i].sure);
        page_begin(&page);
        diff_text(page.to, &diff, NULL, 20);
        page_end(&page, false);
        page_begin(&page);
        diff_json(page.to, &diff, SIZE_MAX);
        page_end(&page, true);
        diff_release(&diff);
    }
}

/* Windows of a hostile file may be long and many: the first ones are enough. */
static void windows_all(struct scene *scene)
{
    struct window_list list;
    struct err err;
    struct page page;
    uint32_t order[] = {0};
    if (!window_list_has(scene->sides[0]) || scene->sides[0]->windows.n > 64)
        return;
    ASSERT(window_list_open(&list, scene, "zen3", &err));
    window_list_make(&list);
    page_begin(&page);
    window_list_text(page.to, &list, &(struct ink){false}, (struct window_choice){order, 1}, 20);
    page_end(&page, false);
    page_begin(&page);
    window_list_json(page.to, &list, (struct window_choice){order, 1}, SIZE_MAX);
    page_end(&page, true);
    for (uint32_t number = 1; number <= 2; number++) {
        struct window_detail detail;
        if (!window_detail_make(&detail, &list, number, 0, 0, &err))
            continue;
        page_begin(&page);
        window_text(page.to, &detail, &(struct ink){false}, 20);
        page_end(&page, false);
        page_begin(&page);
        window_json(page.to, &detail);
        page_end(&page, true);
        window_detail_release(&detail);
    }
    struct call_lengths lengths;
    if (call_lengths_make(&lengths, &list, (struct lengths_wanted){.pattern = "*"}, &err)) {
        page_begin(&page);
        call_lengths_text(page.to, &list, &lengths, &(struct ink){false});
        page_end(&page, false);
        page_begin(&page);
        call_lengths_json(page.to, &list, &lengths);
        page_end(&page, true);
        call_lengths_release(&lengths);
    }
    window_list_close(&list);
}

static void verify_it(struct scene *scene)
{
    struct verification verdict;
    struct page page;
    verify_profile(&verdict, scene);
    page_begin(&page);
    verify_text(page.to, scene, &verdict);
    page_end(&page, false);
    page_begin(&page);
    verify_json(page.to, scene, &verdict);
    page_end(&page, true);
    verification_release(&verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct profile profile;
    uint8_t *mended = mem_alloc(size);
    if (size)
        memcpy(mended, data, size);
    profile_mend(mended, size);
    if (profile_read_bytes("input", mended, size, &profile, &err)) {
        const struct profile *side = &profile;
        struct scene scene;
        scene_open(&scene, &side, 1, NULL);
        report_all(&scene);
        if (profile.mode == PROFILE_PLAIN)
            contexts_all(&scene);
        diff_all(&scene);
        verify_it(&scene);
        windows_all(&scene);
        scene_close(&scene);
        profile_release(&profile);
    }
    mem_free(mended);
    return 0;
}

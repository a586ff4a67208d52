#include "import/perf_order.h"

#include "base/err.h"
#include "import/perf_record.h"

#include <stdlib.h>

struct moment {
    uint64_t when;
    struct perf_span span;
};

static int moment_order(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return x->span.offset < y->span.offset ? -1 : x->span.offset > y->span.offset;
}

bool perf_order_make(struct perf_order *order, const struct perf_file *file, struct err *err)
{
    struct moments {
        VEC(struct moment);
    } moments = {0};
    struct perf_span span;
    uint64_t offset = file->data;
    *order = (struct perf_order){0};
    while (perf_file_next(file, &offset, &span, err)) {
        uint64_t when = span.beyond ? UINT64_MAX : perf_record_when(file, &span);
        *vec_push(&moments) = (struct moment){when, span};
    }
    if (moments.n)
        qsort(moments.at, moments.n, sizeof *moments.at, moment_order);
    vec_reserve(order, moments.n);
    for (size_t i = 0; i < moments.n; i++)
        *vec_push(order) = moments.at[i].span;
    vec_release(&moments);
    if (err->kind == ERR_NONE)
        return true;
    vec_release(order);
    return false;
}

#include "export/gcda/instances.h"

#include <stdlib.h>
#include <string.h>

void instances_open(struct instances *instances)
{
    *instances = (struct instances){0};
    map_init(&instances->keys, sizeof(struct instance_key));
    map_init(&instances->callee_keys, 2 * sizeof(uint64_t));
}

void instances_close(struct instances *instances)
{
    map_release(&instances->keys);
    map_release(&instances->callee_keys);
    vec_release(&instances->callees);
    vec_release(instances);
}

uint32_t instances_add(struct instances *instances, const struct instance_key *key, uint32_t line,
                       uint32_t group)
{
    uint64_t callee_key[2] = {key->function, key->origin};
    uint32_t c = map_add(&instances->callee_keys, callee_key);
    if (c == instances->callees.n)
        *vec_push(&instances->callees) = (struct callee){.line = UINT32_MAX};
    struct callee *callee = &instances->callees.at[c];
    if (line < callee->line) {
        callee->line = line;
        callee->entry = group;
    }
    uint32_t i = map_add(&instances->keys, key);
    if (i == instances->n) {
        *vec_push(instances) = (struct instance){.callee = c};
        callee->n++;
    }
    return i;
}

struct named_place {
    uint32_t instance, callee;
    const uint64_t *calls;
};

static int place_order(const void *a, const void *b)
{
    const struct named_place *x = a, *y = b;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    for (int i = 0; i < CALLS_MAX; i++)
        if (x->calls[i] != y->calls[i])
            return x->calls[i] < y->calls[i] ? -1 : 1;
    return 0;
}

void instances_count(struct instances *instances)
{
    struct named_place *places = mem_alloc((instances->n + 1) * sizeof *places);
    for (uint32_t i = 0; i < instances->n; i++) {
        const struct instance_key *key = map_key(&instances->keys, i);
        places[i] = (struct named_place){i, instances->at[i].callee, key->calls};
    }
    qsort(places, instances->n, sizeof *places, place_order);
    for (size_t i = 0; i < instances->n; i++)
        instances->at[places[i].instance].number =
            i && places[i].callee == places[i - 1].callee
                ? instances->at[places[i - 1].instance].number + 1
                : 1;
    mem_free(places);
}

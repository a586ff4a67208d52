#include "profile/sample_list.h"

#include "base/err.h"
#include "records/sample.h"

bool sample_list_pair_at(const struct sample_list *samples, size_t index)
{
    if (index + 1 >= samples->n)
        return false;
    const struct sample *first = &samples->at[index], *second = first + 1;
    return sample_knows(first, SAMPLE_PAIR) && sample_knows(second, SAMPLE_PAIR) &&
           first->at[SAMPLE_PAIR] == second->at[SAMPLE_PAIR];
}

void sample_list_merge(struct sample_list *into, const struct sample_list *other,
                       const uint32_t *modules, size_t n_modules)
{
    vec_reserve(into, into->n + other->n);
    for (size_t i = 0; i < other->n; i++) {
        struct sample *sample = vec_push(into);
        *sample = other->at[i];
        for (int f = 0; f < SAMPLE_MODULE_FIELDS; f++) {
            uint64_t *module = &sample->at[sample_module_fields[f]];
            ASSERT(!sample_knows(sample, sample_module_fields[f]) || *module < n_modules);
            if (sample_knows(sample, sample_module_fields[f]))
                *module = modules[*module];
        }
    }
}

/* The records (records/sample.h) that hardware with ProfileMe (model/pmu/profileme.h) would have
 * taken from the windows of a profile on the modelled core: pairs of instructions, retired or not.
 * Each weighs the instructions that it stands for in the whole run. */
#pragma once

#include "profile/sample_list.h"
#include "analysis/counts/scene.h"

struct model;

enum { WINDOW_RECORDS_EVERY = 64 }; /* instructions between two pairs, on the mean */

/* window: the largest distance of two of a pair. */
void window_records_take(struct sample_list *list, struct scene *scene, const struct model *model,
                         uint32_t window);

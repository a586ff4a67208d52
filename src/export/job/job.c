#include "export/job/job.h"

#include "base/err.h"

bool export_counts(struct code_counts *counts, struct scene *scene, const struct profile *profile,
                   const struct export_options *options, struct err *err)
{
    const struct tree_filter *filter = &options->filter;
    if (filter->pid || filter->tid)
        return err_set(err, ERR_FORMAT, "counts do not tell threads apart");
    if (profile->mode == PROFILE_PLAIN && !options->inferred)
        return err_set(
            err, ERR_FORMAT,
            "a plain profile has samples and no counts: --inferred makes counts of them");
    if (profile->mode == PROFILE_PLAIN)
        scene_take_plain(scene);
    scene->method = options->method;
    scene->inferred[0] = !options->raw && (profile->mode == PROFILE_SAMPLED || options->inferred);
    return code_counts_make(counts, scene, filter->module, err);
}

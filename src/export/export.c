#include "export/export.h"

#include "base/err.h"

#include <string.h>

const struct exporter exporters[] = {
#define FORMAT(ident, name, what, ending, binary, source)                                          \
    {name, what, ending, binary, source, ident##_write},
#define FORMAT_FILES(name, what, ending) {name, what, ending, true, EXPORT_OBJECTS, NULL},
#define FORMAT_PAGE(name, what, ending) {name, what, ending, true, EXPORT_PAGE, NULL},
#include "export/job/formats.def"
#undef FORMAT
#undef FORMAT_FILES
#undef FORMAT_PAGE
};
const size_t exporters_n = sizeof exporters / sizeof *exporters;

const struct exporter *exporter_find(const char *name)
{
    for (size_t i = 0; i < exporters_n; i++)
        if (strcmp(exporters[i].name, name) == 0)
            return &exporters[i];
    return NULL;
}

static bool export_tree(FILE *to, const struct exporter *exporter, struct export_job *job,
                        struct err *err)
{
    const struct export_options *options = job->options;
    struct tree_filter filter = options->filter;
    filter.contexts = exporter->source == EXPORT_STACKS;
    if (!tree_build(&job->tree, job->scene, options->weight, filter, err))
        return false;
    bool ok = job->tree.total ||
              err_set(err, ERR_MISSING, "the profile is empty: nothing %swas seen to run",
                      options->filter.module ? "of that module " : "");
    if (ok) {
        named_places_open(&job->places, job->scene, options->inlined);
        ok = exporter->write(to, job, err);
        named_places_close(&job->places);
    }
    tree_release(&job->tree);
    return ok;
}

static bool export_code(FILE *to, const struct exporter *exporter, struct export_job *job,
                        struct err *err)
{
    if (!export_counts(&job->code, job->scene, job->profile, job->options, err))
        return false;
    bool ok = exporter->write(to, job, err);
    code_counts_release(&job->code);
    return ok;
}

bool export_profile(FILE *to, const struct exporter *exporter, const struct profile *profile,
                    const struct export_options *options, struct err *err)
{
    struct scene scene;
    struct export_job job = {.profile = profile, .scene = &scene, .options = options};
    if (!exporter->write)
        return err_set(err, ERR_USAGE, "%s is written to files of its own", exporter->name);
    scene_open(&scene, &profile, 1, NULL);
    bool ok = exporter->source == EXPORT_CODE      ? export_code(to, exporter, &job, err)
              : exporter->source == EXPORT_WINDOWS ? exporter->write(to, &job, err)
                                                   : export_tree(to, exporter, &job, err);
    scene_close(&scene);
    return ok;
}

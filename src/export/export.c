#include "export/export.h"

#include "base/err.h"

#include <string.h>

const struct exporter exporters[] = {
#define FORMAT(name, what, ending, binary, modes)                                                  \
    {#name, what, ending, binary, modes, name##_write},
#include "export/formats.def"
#undef FORMAT
};
const size_t exporters_n = sizeof exporters / sizeof *exporters;

const struct exporter *exporter_find(const char *name)
{
    for (size_t i = 0; i < exporters_n; i++)
        if (strcmp(exporters[i].name, name) == 0)
            return &exporters[i];
    return NULL;
}

bool export_profile(FILE *to, const struct exporter *exporter, const struct profile *profile,
                    const struct export_options *options, struct err *err)
{
    struct scene scene;
    struct export_job job = {.profile = profile, .scene = &scene, .options = options};
    if (!(exporter->modes >> profile->mode & 1))
        return err_set(err, ERR_FORMAT, "%s cannot be made from a profile that is %s",
                       exporter->name, profile_mode_name(profile->mode));
    scene_open(&scene, &profile, 1, NULL);
    bool ok = tree_build(&job.tree, &scene, options->weight, options->filter, err);
    if (ok) {
        places_open(&job.places, &scene, options->inlined);
        exporter->write(to, &job);
        places_close(&job.places);
        tree_release(&job.tree);
    }
    scene_close(&scene);
    return ok;
}

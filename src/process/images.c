#include "process/images.h"

#include "base/memory.h"
#include "profile/profile.h"
#include "program/elf/image.h"

struct images_entry {
    uint32_t module;
    bool there;
    struct image image;
};

void images_release(struct images *images)
{
    for (size_t i = 0; i < images->n; i++) {
        if (images->at[i]->there)
            image_close(&images->at[i]->image);
        mem_free(images->at[i]);
    }
    vec_release(images);
}

const struct image *images_find(struct images *images, const struct mappings *mappings,
                                uint32_t module)
{
    for (size_t i = 0; i < images->n; i++)
        if (images->at[i]->module == module)
            return images->at[i]->there ? &images->at[i]->image : NULL;
    struct images_entry *entry = mem_alloc(sizeof *entry);
    entry->module = module;
    entry->there = module != MODULE_NONE && mappings_image_open(mappings, module, &entry->image);
    *vec_push(images) = entry;
    return entry->there ? &entry->image : NULL;
}

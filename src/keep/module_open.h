/* The one place where a module of a profile becomes a binary: its file if that is the build that
 * ran, wherever it lies now, or else what the profile kept of it. A file without the names or lines
 * that the profile kept, because its debug file is not here or it was stripped, gives only code. */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;
struct err;
struct image;
struct profile;

/* Where files are looked for that are not where they ran, for the whole tool. `moved` is
 * "OLD=NEW"; `root` a folder that paths are searched in first. Nothing is copied. */
bool module_moved(const char *moved, struct err *err);
void module_root(const char *root);
/* The file of an image, which was opened where its path does not lead: it was deleted or replaced,
 * or is in a container. It is held open, so that it can be read when the process has ended. */
void module_reached(const char *path, const struct image *image);

/* False: *ret_missing says why, in the arena. */
bool module_open(struct binary *binary, const struct profile *profile, uint32_t module,
                 struct arena *arena, const char **ret_missing);
/* Its image alone, as it was when it was recorded: without a debug file. */
bool module_image_open(struct image *image, const struct profile *profile, uint32_t module);
/* The binary of its file alone, if that tells as much as the profile; `sweep_bytes` as in
 * program/symbols/symbols.h. */
bool module_file_open(struct binary *binary, const struct profile *profile, uint32_t index,
                      size_t sweep_bytes, struct arena *arena, const char **ret_missing);

/* Finding the units of which an image has only skeletons (-gsplit-dwarf): in the package IMAGE.dwp,
 * or each in its .dwo file. */
#pragma once

struct debug_info;

/* Fills info->units from info->main.units: each skeleton replaced by its unit where that is found.
 * path: of the file with the skeletons. */
void dwarf_split_join(struct debug_info *info, const char *path);

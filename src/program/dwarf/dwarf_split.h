/* Finds the units of skeletons (-gsplit-dwarf): in the package IMAGE.dwp or in .dwo files. */
#pragma once

struct debug_info;

/* Fills info->units from info->main.units, with skeletons replaced by their units where found.
 * path: the file with the skeletons. */
void dwarf_split_join(struct debug_info *info, const char *path);

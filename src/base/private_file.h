/* Files with what may be a secret in them. */
#pragma once

/* For writing, empty, and for nobody else to read: one that is there already, too. -1: errno says
 * why not. */
int private_file_open(const char *path);

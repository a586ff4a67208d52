/* Files that may hold secrets. */
#pragma once

/* Opens an empty file for writing, mode 0600; an existing file is emptied and gets that mode. -1
 * with errno. */
int private_file_open(const char *path);

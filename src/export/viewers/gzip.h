/* Writes bytes as a gzip file: the same bytes give the same file, it has no time and no name. */
#pragma once

#include "base/bytes.h"

#include <stdio.h>

void gzip_write(FILE *to, const struct bytes *bytes);

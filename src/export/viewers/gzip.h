/* Writes bytes as a gzip file without time and name, so that equal bytes give equal files. */
#pragma once

#include "base/bytes.h"

#include <stdio.h>

void gzip_write(FILE *to, const struct bytes *bytes);

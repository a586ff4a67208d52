/* Bytes as letters, digits, '+', '/' and '=': nothing in them means anything to HTML. */
#pragma once

#include "base/bytes.h"

void base64_add(struct bytes *to, const void *bytes, size_t n);

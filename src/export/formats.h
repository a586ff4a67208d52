/* The formats, each in the file of its name. */
#pragma once

#include "export/export.h"

void collapsed_write(FILE *to, struct export_job *job);
void speedscope_write(FILE *to, struct export_job *job);

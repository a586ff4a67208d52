#include "cmd/progress.h"

#include "collect/plain.h"

#include <stdio.h>

void progress_print(const struct plain_progress *progress)
{
    fprintf(stderr, "\r\033[Kgait: %.0f s, %llu samples, %llu lost, %llu KiB",
            (double)progress->elapsed_ns / 1e9, (unsigned long long)progress->samples,
            (unsigned long long)progress->lost, (unsigned long long)progress->file_bytes >> 10);
    fflush(stderr);
}

void progress_erase(void)
{
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

#include "cmd/record/progress.h"

#include "collect/plain/plain.h"
#include "collect/recording.h"

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

void progress_rest(const struct recording_rest *rest)
{
    enum { EVERY = 10 };
    static unsigned times;
    if (times++ % EVERY)
        return;
    fprintf(stderr, "gait: the program has ended; %.1f MiB of its trace are left to read",
            (double)rest->bytes / 0x1p20);
    if (rest->worked)
        fprintf(stderr, ", about %.0f s",
                (double)rest->bytes / (double)rest->worked * (double)rest->worked_ns / 1e9);
    fputs("; a signal (Ctrl-C) ends this now\n", stderr);
}

#include "collect/perf/proc.h"

#include "base/scope.h"
#include "collect/perf/perf_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void file_close(FILE **file)
{
    if (*file)
        fclose(*file);
}

static void folder_close(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

static void line_free(char **line)
{
    free(*line);
}

/* The kernel writes the one character that would end the line as "\\012", and nothing else so. */
static void newlines_restore(char *path)
{
    static const char written[] = "\\012";
    for (char *at = path; (at = strstr(at, written)); at++) {
        *at = '\n';
        memmove(at + 1, at + 4, strlen(at + 4) + 1);
    }
}

/* "55d0c-55d0d r-xp 00001000 fe:01 1234   /path": false if it is none, or not executable. */
static bool line_parse(char *line, struct perf_mapping *ret_mapping)
{
    unsigned long long start, end, offset, inode;
    unsigned major, minor;
    char access[5];
    int used = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, access, &offset, &major,
               &minor, &inode, &used) != 7 ||
        !strchr(access, 'x') || start >= end)
        return false;
    char *path = line + used;
    path[strcspn(path, "\n")] = 0;
    newlines_restore(path);
    *ret_mapping = (struct perf_mapping){.start = start,
                                         .bytes = end - start,
                                         .offset = offset,
                                         .device = (uint64_t)major << 32 | minor,
                                         .inode = inode,
                                         .path = path};
    return strcmp(path, "[vsyscall]") != 0;
}

void proc_read_maps(int pid, void (*each)(void *closure, const struct perf_mapping *mapping),
                    void *closure)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    AUTO(file_close) FILE *file = fopen(path, "re");
    AUTO(line_free) char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0) {
        struct perf_mapping mapping;
        if (!line_parse(line, &mapping))
            continue;
        mapping.ids.pid = mapping.ids.tid = (uint32_t)pid;
        each(closure, &mapping);
    }
}

void proc_read_name(int pid, int tid, char ret_name[16])
{
    char path[64];
    memset(ret_name, 0, 16);
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret_name, 15);
    if (n > 0)
        ret_name[strcspn(ret_name, "\n")] = 0;
}

bool proc_each_thread(int pid, void (*each)(void *closure, int tid), void *closure)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    AUTO(folder_close) DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            each(closure, atoi(entry->d_name));
    return folder;
}

/* ---- children */

struct family {
    int *pids;
    size_t n, room;
    int parent;
};

static void children_read(void *closure, int tid)
{
    struct family *family = closure;
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", family->parent, tid);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1) {
        if (family->n < family->room)
            family->pids[family->n] = child;
        family->n++;
    }
    if (file)
        fclose(file);
}

size_t proc_descendants(int pid, int *ret_pids, size_t room)
{
    struct family family = {.pids = ret_pids, .room = room, .parent = pid};
    proc_each_thread(pid, children_read, &family);
    for (size_t i = 0; i < family.n && i < room; i++) {
        family.parent = ret_pids[i];
        proc_each_thread(ret_pids[i], children_read, &family);
    }
    return family.n;
}

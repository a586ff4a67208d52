/* A traced process as a stack walker sees it, at one of its threads' stops. Maps and modules are
 * read from outside, and the stack is copied as the kernel would copy it for a sample. */
#pragma once

#include "base/err.h"
#include "collect/stacks/stack.h"
#include "program/elf/image.h"
#include "program/unwind/unwind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { STOPPED_STACK_BYTES = 65536, STOPPED_PERF_REGISTERS = 17 };

struct stopped_module {
    char path[512];
    bool ok;
    struct image image;
    struct unwind unwind;
};
struct stopped_map {
    uint64_t start, end, offset;
    size_t module;
};

struct stopped {
    pid_t pid;
    struct {
        VEC(struct stopped_module);
    } modules;
    struct {
        VEC(struct stopped_map);
    } maps;
    uint8_t bytes[STOPPED_STACK_BYTES];
};

static inline size_t stopped_module(struct stopped *stopped, const char *path)
{
    for (size_t i = 0; i < stopped->modules.n; i++)
        if (strcmp(stopped->modules.at[i].path, path) == 0)
            return i;
    struct stopped_module *module = vec_push(&stopped->modules);
    struct err err;
    snprintf(module->path, sizeof module->path, "%s", path);
    if (image_open(&module->image, path, &err)) {
        module->ok = true;
        unwind_build(&module->unwind, &module->image);
    }
    return stopped->modules.n - 1;
}

static inline void stopped_read_maps(struct stopped *stopped)
{
    char path[64], line[1024], name[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)stopped->pid);
    FILE *file = fopen(path, "re");
    stopped->maps.n = 0;
    while (file && fgets(line, sizeof line, file)) {
        struct stopped_map map;
        char flags[8];
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %511[^\n]", &map.start,
                   &map.end, flags, &map.offset, name) != 5 ||
            flags[2] != 'x')
            continue;
        map.module = stopped_module(stopped, name);
        *vec_push(&stopped->maps) = map;
    }
    if (file)
        fclose(file);
}

static inline bool stopped_place(void *closure, struct avma at, struct stack_place *ret_place)
{
    struct stopped *stopped = closure;
    for (size_t i = 0; i < stopped->maps.n; i++) {
        const struct stopped_map *map = &stopped->maps.at[i];
        if (at.v < map->start || at.v >= map->end)
            continue;
        const struct stopped_module *module = &stopped->modules.at[map->module];
        struct foff offset = {map->offset + (at.v - map->start)};
        *ret_place = (struct stack_place){0};
        if (module->ok && image_to_svma(&module->image, offset, &ret_place->at)) {
            ret_place->unwind = &module->unwind;
            ret_place->image = &module->image;
        }
        return true;
    }
    return false;
}

/* Points into itself and into the process that it was taken of. */
struct stopped_sample {
    uint64_t registers[STOPPED_PERF_REGISTERS];
    struct stack_sample sample;
    struct stack_space space;
};

static inline bool stopped_sample(struct stopped *stopped, pid_t tid, struct stopped_sample *to)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) != 0)
        return false;
    struct iovec here = {stopped->bytes, sizeof stopped->bytes};
    struct iovec there = {(void *)(uintptr_t)regs.rsp, sizeof stopped->bytes};
    ssize_t n = process_vm_readv(stopped->pid, &here, 1, &there, 1, 0);
    *to = (struct stopped_sample){
        /* In the order of perf's mask. */
        .registers = {regs.rax, regs.rbx, regs.rcx, regs.rdx, regs.rsi, regs.rdi, regs.rbp,
                      regs.rsp, regs.rip, regs.r8, regs.r9, regs.r10, regs.r11, regs.r12, regs.r13,
                      regs.r14, regs.r15},
        .sample = {.mask = STACK_REGISTERS_MASK,
                   .registers = to->registers,
                   .bytes = stopped->bytes,
                   .n_bytes = n > 0 ? (size_t)n : 0},
        .space = {.place = stopped_place, .closure = stopped}};
    return true;
}

static inline void stopped_release(struct stopped *stopped)
{
    for (size_t i = 0; i < stopped->modules.n; i++)
        if (stopped->modules.at[i].ok) {
            unwind_release(&stopped->modules.at[i].unwind);
            image_close(&stopped->modules.at[i].image);
        }
    vec_release(&stopped->modules);
    vec_release(&stopped->maps);
}

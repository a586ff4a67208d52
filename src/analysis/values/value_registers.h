/* Of the registers recorded at a call or a return, those that mean something: arguments that the
 * called function reads, results that some caller reads. */
#pragma once

#include "analysis/counts/scene.h"
#include "analysis/values/register_uses.h"
#include "base/map.h"

struct value_registers {
    struct scene *scene;
    struct map entries; /* module and address */
    struct {
        VEC(struct register_uses);
    } uses;             /* of entries */
    struct map results; /* module and function */
    struct {
        VEC(struct register_uses);
    } result_uses;    /* by callers of those */
    struct map jumps; /* indirect ones: the profile's module, and address */
    struct {
        VEC(uint32_t);
    } jumped;            /* edges of those */
    bool callers;        /* they were looked at */
    struct map syscalls; /* module and address */
    struct {
        VEC(uint32_t);
    } syscall_arguments; /* of these: the most that a call takes */
};

void value_registers_init(struct value_registers *registers, struct scene *scene);
void value_registers_release(struct value_registers *registers);
/* How the register is used; bytes 0: not at all. Without a binary all whole numbers may be. */
struct value_form value_registers_argument(struct value_registers *registers, uint32_t module,
                                           uint64_t entry, uint32_t reg);
struct value_form value_registers_result(struct value_registers *registers, uint32_t module,
                                         uint64_t at, uint32_t reg);
/* Of the arguments of a system call those that the call takes, by its number
 * (value_registers_meet), and the number itself. */
struct value_form value_registers_syscall(const struct value_registers *registers, uint32_t module,
                                          uint64_t at, uint32_t reg);
/* A number with which this instruction calls the kernel: before its arguments are asked for. */
void value_registers_meet(struct value_registers *registers, uint32_t module, uint64_t at,
                          uint64_t number);
/* Which argument of a system call it holds, from 1; 0: its number. */
uint32_t value_register_syscall(uint32_t reg);
/* "rdi", "xmm0"; "": none. */
const char *value_register_name(uint32_t reg);
/* Which argument of its kind it holds, from 1; 0: none. */
uint32_t value_register_argument(uint32_t reg);

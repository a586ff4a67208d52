/* What gait and the process of a module say to each other: a head, and behind it what its type
 * says. */
#pragma once

#include "collect/modules/module_host.h"

enum module_question { MODULE_SCALE = 1, MODULE_WANTS, MODULE_TAKE, MODULE_FORMAT };

enum { MODULE_PAIRS = 4 * MODULE_TUPLES };

struct module_head {
    uint32_t question; /* enum module_question */
    uint32_t n;        /* tuples, or pairs in an answer */
    uint64_t dropped;  /* in an answer: pairs that were too many */
};

struct module_hello {
    uint32_t version, kinds;
    char name[64], error[160];
};

struct module_instruction {
    uint64_t address;
    uint32_t n_bytes;
    uint8_t loads, stores, locked, bytes[17];
    char mnemonic[32], file[64];
};

/* Whole, or false: the other side is gone, or took longer than so many ms (negative: it may). */
bool module_send(int fd, const void *data, size_t n, int ms);
bool module_receive(int fd, void *data, size_t n, int ms);

/* The module's process: never returns. */
_Noreturn void module_guest_run(const char *path, int fd);

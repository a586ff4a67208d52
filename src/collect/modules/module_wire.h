/* Messages between gait and the process of a module: a head, then data as the question says. */
#pragma once

#include "collect/modules/module_host.h"

enum module_question { MODULE_SCALE = 1, MODULE_WANTS, MODULE_TAKE, MODULE_FORMAT };

enum { MODULE_PAIRS = 4 * MODULE_TUPLES };

struct module_head {
    uint32_t question; /* enum module_question */
    uint32_t n;        /* tuples, or pairs in an answer */
    uint64_t dropped;  /* in an answer: pairs that did not fit */
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

/* Transfers all n bytes. False: the other side is gone, or took longer than `ms` (negative: no
 * limit). */
bool module_send(int fd, const void *data, size_t n, int ms);
bool module_receive(int fd, void *data, size_t n, int ms);

/* The module's process. Never returns. */
_Noreturn void module_guest_run(const char *path, int fd);

/* One pointer for one text: equal texts, wherever they lie, become the same copy. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

struct intern {
    struct arena arena;
    struct map keys; /* hash of the text, counted up while another text has it */
    struct intern_texts {
        VEC(const char *);
    } texts; /* for each of keys */
};

void intern_init(struct intern *intern);
void intern_release(struct intern *intern);

/* Counts up from 0 in order of appearance; texts.at[number] is the copy. */
uint32_t intern_number(struct intern *intern, const char *text);
/* The copy; holds until released. */
const char *intern_text(struct intern *intern, const char *text);

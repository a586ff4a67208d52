/* A terminal that is drawn on as a whole, by plain escape sequences, and its keys. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum screen_key {
    KEY_NONE = 0, /* letters are themselves */
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ENTER,
    KEY_BACK,
    KEY_END, /* nobody types there any more */
};

struct screen {
    struct termios before;
    int rows, columns;
    int resized_fd; /* readable when the terminal has another size */
    char typed[64]; /* not taken yet */
    size_t n_typed;
    bool on, ended;
};

/* False: stdin or stdout is no terminal. Ctrl-C still interrupts; Ctrl-Z does not stop. */
bool screen_begin(struct screen *screen);
/* Gives the terminal back as it was. */
void screen_end(struct screen *screen);
/* The next key, if there is one. */
int screen_key(struct screen *screen);
/* Takes the size anew; true: it is another. */
bool screen_resized(struct screen *screen);
/* Shows a text, one line of it in each row; `marked` is shown reversed; SIZE_MAX: none. */
void screen_show(const struct screen *screen, const char *text, size_t marked);

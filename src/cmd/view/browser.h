/* Opens the user's browser, and tells it the address so that no other user can read it.
 *
 * Every user of a machine can read the command lines of all processes, so the address, whose token
 * is a secret, must not be on one. The browser is given a file that only this user can read, which
 * leads to the address. */
#pragma once

#include <stdbool.h>

struct err;

struct door {
    char folder[200], path[220]; /* "": there is none */
};

/* Writes the file, mode 0600, into a new folder, mode 0700, of $XDG_RUNTIME_DIR, $TMPDIR or /tmp.
 */
bool door_make(struct door *ret_door, const char *url, struct err *err);
/* Removes both; does nothing if there are none. */
void door_remove(struct door *door);

/* Opens it by xdg-open, which is not waited for: it may stay. Says it if no browser was opened. */
void browser_open(const struct door *door);
/* Whether there is a display to open it on. */
bool browser_has_display(void);

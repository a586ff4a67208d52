/* Makes a table fit its terminal: names are shortened to a point, then columns give way one after
 * the other, then what is too long is cut. */
#pragma once

#include "text/sheet.h"

struct scene;

struct fit {
    struct scene *scene;
    const uint8_t *order; /* columns in the order in which they give way, by their place */
    size_t n, gone;
};

/* False: the table fits. Else it is empty, and to be filled in again. */
bool fit_more(struct fit *fit, struct sheet *sheet);

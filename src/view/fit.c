#include "view/fit.h"

#include "analysis/counts/labels.h"

bool fit_more(struct fit *fit, struct sheet *sheet)
{
    enum { NAMES_GOOD = 28 }; /* shorter ones say less than most columns */
    struct scene *scene = fit->scene;
    int width = sheet_width(sheet);
    bool short_names = scene->name_width && scene->name_width <= NAMES_GOOD;
    if (!scene->columns || scene->verbose || width <= scene->columns)
        return false;
    if (!short_names && names_narrow(scene, width)) {
        sheet_clear(sheet);
        return true;
    }
    if (fit->gone == fit->n) {
        sheet_squeeze(sheet, scene->columns);
        return false;
    }
    sheet_hide(sheet, fit->order[fit->gone++]);
    scene->name_width = 0;
    sheet_clear(sheet);
    return true;
}

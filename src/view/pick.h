/* Which row of a report by function a user means: by name, readable name, glob or MODULE+0xADDRESS. */
#pragma once

struct err;
struct report;
struct report_row;

/* NULL if there is none, or if several could be meant: the error lists those, or the nearest names. */
const struct report_row *pick_function(const struct report *report, const char *typed,
                                       struct err *err);

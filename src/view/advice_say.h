/* Prints a sentence of advice, and declares the parts of advice in files of their own. */
#pragma once

#include "analysis/report/report.h"

#include <stdio.h>

struct json;

/* Fewer batches of walks say too little of counts to compare them with times. */
enum { ADVICE_BATCHES_LEAST = 8 };

struct adviser {
    FILE *to;
    struct json *json; /* not NULL: sentences become objects there instead of text */
    const struct report *report;
    const struct ink *ink;
    const char *title; /* printed before the first sentence */
    int said;
};

/* A sentence, then ": gait COMMAND" with the file behind it if it is not the usual one. The command
 * is all behind the last '|' of the sentence. */
__attribute__((format(printf, 2, 3))) void advise(struct adviser *adviser, const char *format, ...);

/* The same in a line of its own, which is no part of a list. */
__attribute__((format(printf, 2, 3))) void advise_line(struct adviser *adviser, const char *format,
                                                       ...);

/* As it could be typed. */
const char *advice_quoted(const struct report *report, const char *word);
/* The same of a function: as it is read rather than as it is linked, if that is shorter and means
 * no other that was seen. */
const char *advice_function(const struct report *report, const char *linkage);
/* What ran before gait did: of -p and -a. */
bool advice_attached(const struct report *report);
/* The program's command to type again, or the word COMMAND. */
const char *advice_command(const struct report *report);
/* "12 % (10 to 14)" of a share; two alternating buffers. */
const char *advice_share(struct estimate share);
/* What shares are shares of. */
const char *advice_weight(const struct report *report);
const char *advice_name(const struct report *report, const struct report_row *row);

/* Who calls the hottest function. */
void advise_callers(struct adviser *adviser);
/* The Python function that most is done for. */
void advise_python(struct adviser *adviser);
/* What would bring most, as far as a model of the core knows. */
void advise_whatif(struct adviser *adviser);
/* Time in the kernel, unless the first line says it. */
void advise_kernel(struct adviser *adviser);
/* What was not seen at all, and how it could be. */
void advise_unseen(struct adviser *adviser);
/* The first line, and how far figures can be trusted; advice.h. */
void advise_verdict(struct adviser *adviser);
void advise_limits(struct adviser *adviser);

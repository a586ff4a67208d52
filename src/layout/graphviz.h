/* Graphviz, opened when a graph is drawn: no other command needs it, and it may be missing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

/* What Graphviz makes of a graph in the DOT language: `format` is "plain", "svg" or another of its
 * output formats. The text is to be freed by graphviz_free. False: Graphviz is not installed, and
 * the error says what to type; or it refuses the graph. */
bool graphviz_render(const char *dot, const char *format, char **ret_text, struct err *err);
void graphviz_free(char *text);

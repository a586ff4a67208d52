/* Words as they could be typed into a shell. */
#pragma once

struct arena;

/* Quoted where needed, and separated by spaces; argv ends with NULL. */
char *quote_words(struct arena *arena, char *const *argv);
char *quote_word(struct arena *arena, const char *word);

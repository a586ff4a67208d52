/* The question of a store (store/place.h) as conditions of statements. */
#pragma once

#include "store/store.h"

enum { QUESTION_VALUES = 7 };

/* $1 to $7. What recordings and sums have in common: */
#define WANTED                                                                                     \
    "($1 = '' OR service = $1) AND ($3 = '' OR kind = $3 OR kind LIKE $3 || ' %') "                \
    "AND build >= $4 AND build < $5 "
#define WANTED_RECORDINGS                                                                          \
    WANTED "AND ($2 = '' OR machine = $2) AND begin_ns >= $6 AND begin_ns < $7 "
/* A sum belongs to a question that its hours overlap. A sum is of a day at most, which lets an
 * index find it. */
#define WANTED_SUMS                                                                                \
    WANTED "AND (hour + hours) * 3600000000000 > $6 AND hour * 3600000000000 < $7 "                \
           "AND hour > $6 / 3600000000000 - 25 AND hour <= $7 / 3600000000000 "

void question_values(struct store *store, struct sql_value values[QUESTION_VALUES]);

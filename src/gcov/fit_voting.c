/* Votes of one block as one: what compilers do that have nothing but counts of lines. */
#include "gcov/fitting.h"

#include <stdlib.h>
#include <string.h>

enum { JOINED_WEIGHT = 16 };

static int vote_order(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->count < y->count ? -1 : x->count > y->count;
}

/* Votes that only say what a block did not run more often than stay what they are. */
void votes_join(struct votes *votes, enum fit_voting voting)
{
    size_t kept = 0;
    if (voting == VOTING_WEIGHED || !votes->n)
        return;
    qsort(votes->at, votes->n, sizeof *votes->at, vote_order);
    for (size_t i = 0, end; i < votes->n; i = end) {
        uint32_t block = votes->at[i].at;
        double sum = 0;
        size_t n = 0;
        uint64_t most = 0;
        for (end = i; end < votes->n && votes->at[end].at == block; end++) {
            const struct vote vote = votes->at[end];
            if (!vote.less) {
                votes->at[kept++] = vote;
                continue;
            }
            sum += (double)vote.count;
            n++;
            most = vote.count;
        }
        /* One place is free for each vote that was joined. */
        if (n)
            votes->at[kept++] = (struct vote){
                .at = block,
                .more = JOINED_WEIGHT,
                .less = JOINED_WEIGHT,
                .count = voting == VOTING_MAXIMUM ? most : (uint64_t)(sum / (double)n)};
    }
    votes->n = kept;
}

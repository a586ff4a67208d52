/* A replay's account (model/replay/account.h) as rows of a profile. */
#pragma once

struct account;
struct core_code;
struct profile;

/* Module numbers of the code are those of the profile. */
void modelled_give(const struct account *account, const struct core_code *code,
                   struct profile *profile);

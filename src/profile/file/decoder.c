#include "profile/file/decoder.h"

#include "base/err.h"

void decoder_init(struct decoder *decoder, struct profile *profile)
{
    *decoder = (struct decoder){.profile = profile};
}

void decoder_release(struct decoder *decoder)
{
    vec_release(&decoder->in_profile);
    for (int i = 0; i < TABLES; i++) {
        vec_release(&decoder->numbers[i]);
        vec_release(&decoder->logged[i]);
    }
    vec_release(&decoder->command);
    vec_release(&decoder->name);
    vec_release(&decoder->path);
    vec_release(&decoder->new_threads);
    vec_release(&decoder->new_names);
}

void decoder_settle(struct decoder *decoder)
{
    struct profile *profile = decoder->profile;
    threads_sort(&decoder->new_threads);
    threads_merge(&profile->threads, &profile->arena, &decoder->new_threads);
    decoder->new_threads.n = 0;
    names_sort(&decoder->new_names);
    names_merge(&profile->names, &profile->arena, &decoder->new_names, NAMES_LATER);
    decoder->new_names.n = 0;
    kept_sort(&profile->kept);
}

bool decoder_module(const struct decoder *decoder, uint64_t number, uint32_t *ret_module,
                    struct err *err)
{
    if (number == 0 || number > decoder->in_profile.n)
        return err_set(err, ERR_FORMAT, "module %llu of %zu", (unsigned long long)number,
                       decoder->in_profile.n);
    *ret_module = decoder->in_profile.at[number - 1];
    return true;
}

#include "compress/associative.h"

void associative_init(struct associative *associative, uint32_t room)
{
    *associative = (struct associative){.room = room};
}

static uint32_t find(const struct associative *associative, const struct tuple *tuple)
{
    uint32_t i = 0;
    while (i < associative->used && (associative->entries[i].tuple.place != tuple->place ||
                                     associative->entries[i].tuple.value != tuple->value))
        i++;
    return i;
}

/* Puts it first; entry `at`, whose place those before it need, is returned. */
static struct message put_first(struct associative *associative, uint32_t at,
                                struct message message)
{
    struct message last = associative->entries[at];
    for (; at; at--)
        associative->entries[at] = associative->entries[at - 1];
    associative->entries[0] = message;
    return last;
}

size_t associative_take(struct associative *associative, const struct message *messages, size_t n,
                        struct message *made)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct message message = messages[i];
        uint32_t at = find(associative, &message.tuple);
        if (at < associative->used) {
            message.count += associative->entries[at].count;
            put_first(associative, at, message);
        } else if (at < associative->room) {
            associative->used++;
            put_first(associative, at, message);
        } else {
            made[count++] = put_first(associative, at - 1, message);
        }
    }
    return count;
}

size_t associative_flush(struct associative *associative, struct message *made)
{
    size_t count = associative->used;
    for (uint32_t i = 0; i < count; i++)
        made[i] = associative->entries[i];
    associative->used = 0;
    return count;
}

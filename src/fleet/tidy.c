#include "fleet/tidy.h"

#include "base/clock.h"
#include "fleet/roll_up.h"
#include "store/prune.h"

bool store_tidy(const char *store_text, uint64_t bytes_max, struct err *err)
{
    enum { AFTER_S = 2 * 3600 };
    struct store store;
    struct prune prune = {.bytes_max = bytes_max};
    if (store_in_file(store_text) && store_open(store_text, SQL_WRITE, &store, err)) {
        struct roll_up roll = roll_up_after(clock_ns(CLOCK_REALTIME), AFTER_S);
        bool ok = roll_up(&store, &roll, err) && (!bytes_max || store_prune(&store, &prune, err));
        store_close(&store);
        return ok;
    }
    return !store_in_file(store_text);
}

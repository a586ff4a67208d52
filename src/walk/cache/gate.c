#include "walk/cache/gate.h"

#include "walk/base/sys.h"

#include <linux/futex.h>
#include <sys/syscall.h>

enum { LOCK_SPINS = 400 };

bool gate_enter(struct gate *gate)
{
    uint32_t users = __atomic_load_n(&gate->users, __ATOMIC_RELAXED);
    do {
        if (users == GATE_CLAIMED)
            return false;
    } while (!__atomic_compare_exchange_n(&gate->users, &users, users + 1, true, __ATOMIC_ACQUIRE,
                                          __ATOMIC_RELAXED));
    return true;
}

void gate_leave(struct gate *gate)
{
    __atomic_fetch_sub(&gate->users, 1, __ATOMIC_RELEASE);
}

bool gate_claim(struct gate *gate)
{
    uint32_t none = 0;
    return __atomic_compare_exchange_n(&gate->users, &none, GATE_CLAIMED, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

void gate_release(struct gate *gate)
{
    __atomic_store_n(&gate->users, 1, __ATOMIC_RELEASE);
}

static bool lock_try(struct gate *gate, uint32_t taken)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(&gate->lock, &free, taken, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

bool gate_lock(struct gate *gate, bool wait)
{
    for (uint32_t i = 0; i < LOCK_SPINS; i++) {
        if (lock_try(gate, 1))
            return true;
        __builtin_ia32_pause();
    }
    if (!wait)
        return false;
    while (__atomic_exchange_n(&gate->lock, 2, __ATOMIC_ACQUIRE) != 0)
        sys6(SYS_futex, (long)&gate->lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    return true;
}

void gate_unlock(struct gate *gate)
{
    if (__atomic_exchange_n(&gate->lock, 0, __ATOMIC_RELEASE) == 2)
        sys6(SYS_futex, (long)&gate->lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

bool gate_occupied(const struct gate *gate)
{
    return __atomic_load_n(&gate->users, __ATOMIC_SEQ_CST) != 0;
}

bool gate_alone(const struct gate *gate)
{
    return __atomic_load_n(&gate->users, __ATOMIC_ACQUIRE) == 1;
}

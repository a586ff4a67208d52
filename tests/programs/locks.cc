/* Locks of known truth: a std::mutex and a spin lock that threads wait for, mutexes that nobody else wants, one that is asked for in vain, and one that is held
 * across so many calls that most windows begin and end under it. With an argument, so many rounds. */
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace
{
enum { WORK = 300, LONG_CALLS = 32, LONG_EVERY = 16 };

std::mutex wanted;
pthread_spinlock_t spin;
pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, longest = PTHREAD_MUTEX_INITIALIZER,
                calm[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
volatile uint64_t sink;
long rounds = 500;
} // namespace

/* Each with a number of its own: code that is the same would become one function. */
#define ROLE(name, odd)                                                                            \
    extern "C" __attribute__((noinline)) void name(void)                                           \
    {                                                                                              \
        uint64_t x = sink;                                                                         \
        for (int i = 0; i < WORK; i++)                                                             \
            x = x * 6364136223846793005u + odd;                                                    \
        sink = x;                                                                                  \
    }
ROLE(free_of_all, 1)
ROLE(under_wanted, 3)
ROLE(half_wanted, 5)
ROLE(under_spin, 7)
ROLE(denied, 9)
ROLE(half_calm, 11)
ROLE(under_long, 13)

static void half_and_half(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    half_calm();
    pthread_mutex_unlock(mutex);
    half_calm();
}

static void hold_long()
{
    pthread_mutex_lock(&longest);
    for (int i = 0; i < LONG_CALLS; i++)
        under_long();
    pthread_mutex_unlock(&longest);
}

static void worker(int who)
{
    for (long i = 0; i < rounds; i++) {
        free_of_all();
        wanted.lock();
        under_wanted();
        if (i % 2)
            half_wanted();
        wanted.unlock();
        if (i % 2 == 0)
            half_wanted();
        if (pthread_mutex_trylock(&busy))
            denied();
        pthread_spin_lock(&spin);
        under_spin();
        pthread_spin_unlock(&spin);
        half_and_half(&calm[who]);
        if (who && i % LONG_EVERY == 0)
            hold_long();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = strtol(argv[1], nullptr, 0);
    pthread_spin_init(&spin, 0);
    pthread_mutex_lock(&busy);
    std::thread second(worker, 1);
    worker(0);
    second.join();
}

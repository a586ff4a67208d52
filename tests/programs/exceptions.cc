// C++ exceptions in threads: thrown through many frames, rethrown, nested, carried to another thread, and thrown
// while destructors run; thread_local objects, call_once, futures.
#include <atomic>
#include <cstdio>
#include <exception>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<unsigned> destroyed;
struct Guard {
    ~Guard()
    {
        destroyed++;
    }
};
static thread_local struct Local {
    std::vector<int> seen;
    ~Local()
    {
        destroyed += static_cast<unsigned>(seen.size() > 0);
    }
} local;

__attribute__((noinline)) static int dive(int depth, int what)
{
    Guard guard;
    if (depth == 0) {
        if (what % 3 == 0)
            throw std::runtime_error("number " + std::to_string(what));
        if (what % 3 == 1)
            throw what;
        throw std::string("text");
    }
    try {
        return dive(depth - 1, what) + 1;
    } catch (const std::string &) {
        if (depth % 2)
            throw;
        throw std::logic_error("turned into another");
    }
}

static unsigned long work(int seed)
{
    unsigned long sum = 0;
    for (int i = 0; i < 300; i++) {
        local.seen.push_back(i);
        try {
            dive(i % 12, i + seed);
        } catch (const std::logic_error &e) {
            sum = sum * 31 + std::string(e.what()).size();
        } catch (const std::exception &e) {
            sum = sum * 31 + std::string(e.what()).size() * 3;
        } catch (int n) {
            sum = sum * 31 + static_cast<unsigned long>(n);
        } catch (...) {
            sum += 7;
        }
    }
    return sum;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<unsigned long> sums(4);
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i, &sums] { sums[static_cast<size_t>(i)] = work(i); });
    for (auto &t : threads)
        t.join();
    unsigned long sum = 0;
    for (auto s : sums)
        sum = sum * 33 + s;
    std::once_flag once;
    int tries = 0;
    for (int i = 0; i < 3; i++)
        try {
            std::call_once(once, [&] {
                if (++tries < 3)
                    throw 5;
            });
        } catch (int) {
        }
    auto future = std::async(std::launch::async, []() -> int { return dive(5, 3); });
    try {
        future.get();
    } catch (const std::exception &e) {
        std::printf("carried: %s\n", e.what());
    }
    std::printf("%lx, %d tries, %u destroyed\n", sum, tries, destroyed.load());
    std::fflush(stdout);
    throw std::runtime_error("not caught");
}

// Exceptions thrown out of handlers of synchronous faults: unwinding goes through the frame of the handler.
// link: -fnon-call-exceptions
#include <csignal>
#include <cstdio>
#include <stdexcept>

static void on_fault(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    throw std::runtime_error(signal == SIGSEGV ? "no such address" : "no such quotient");
}

__attribute__((noinline)) static int divide(int a, int b)
{
    return a / b;
}
__attribute__((noinline)) static int load(volatile int *at)
{
    return *at;
}

int main()
{
    std::signal(SIGSEGV, on_fault);
    std::signal(SIGFPE, on_fault);
    unsigned caught = 0, sum = 0;
    for (int i = 0; i < 300; i++) {
        try {
            int here = i;
            sum += static_cast<unsigned>(divide(i * 100, i % 3));
            sum += static_cast<unsigned>(load(i % 2 ? &here : nullptr));
        } catch (const std::exception &e) {
            caught++;
            sum = sum * 31 + static_cast<unsigned>(e.what()[8]);
        }
    }
    std::printf("%u caught, %u\n", caught, sum);
}

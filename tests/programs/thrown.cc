// Exceptions from several depths, through frames of several kinds, and past destructors: what stacks show in the last
// instructions of those that throw (tests/unit/collect/test_stack_steps.c).
#include <cstdio>

static volatile int kept;
struct Kept {
    ~Kept()
    {
        kept = kept + 1;
    }
};

__attribute__((noinline)) static int dive(int depth)
{
    volatile char room[40] = {static_cast<char>(depth)};
    if (!depth)
        throw 7;
    return dive(depth - 1) + room[0];
}

__attribute__((noinline)) static int past_destructor(int depth)
{
    Kept one;
    return dive(depth) + kept;
}

// Its frame is found by rbp.
__attribute__((noinline)) static int caught(int depth)
{
    auto *room = static_cast<char *>(__builtin_alloca(static_cast<unsigned long>(depth) * 16 + 16));
    room[0] = static_cast<char>(depth);
    try {
        return past_destructor(depth) + *static_cast<volatile char *>(room);
    } catch (int value) {
        return value + *static_cast<volatile char *>(room);
    }
}

__attribute__((noinline)) static int caught_at_once()
{
    try {
        return dive(0);
    } catch (int value) {
        return value;
    }
}

int main()
{
    int sum = 0;
    for (int depth = 1; depth < 4; depth++)
        sum += caught(depth);
    std::printf("%d %d\n", sum + caught_at_once(), kept);
    return 0;
}

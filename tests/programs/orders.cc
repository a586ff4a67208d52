// A small shop, for tests of pages: orders are looked up in a list whose nodes lie scattered in
// memory. That is its slow spot, planted: Customers::find waits for memory at `node = node->next`.
// Beside it: templates, inlined and virtual functions, a switch, a division, loops of known length,
// and a second thread. orders [ROUNDS [THREADS]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace shop {

struct Random {
    uint64_t state;
    uint64_t next()
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
};

struct Customer {
    uint32_t id, discount;
    Customer *next;
    char rest[240]; // so that no two share a cache line
};

class Customers
{
    std::vector<Customer> all;
    Customer *first;

  public:
    explicit Customers(uint32_t n) : all(n)
    {
        Random random{88172645463325252u};
        std::vector<uint32_t> order(n);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        for (uint32_t i = n - 1; i > 0; i--)
            std::swap(order[i], order[random.next() % (i + 1)]);
        for (uint32_t i = 0; i < n; i++)
            all[order[i]] = Customer{i, i % 7, i + 1 < n ? &all[order[i + 1]] : nullptr, {}};
        first = &all[order[0]];
    }
    __attribute__((noinline)) const Customer *find(uint32_t id) const
    {
        const Customer *node = first;
        while (node) {
            if (node->id == id)
                return node;
            node = node->next;
        }
        return nullptr;
    }
};

struct Tariff {
    virtual ~Tariff() = default;
    virtual uint64_t price(uint64_t pieces) const = 0;
};
struct Plain : Tariff {
    uint64_t price(uint64_t pieces) const override { return pieces * 100; }
};
struct Shared : Tariff {
    uint64_t price(uint64_t pieces) const override { return 100000 / (pieces + 1); }
};

template <typename Rule>
__attribute__((noinline)) uint64_t charge(const std::vector<uint32_t> &amounts, Rule rule)
{
    uint64_t sum = 0;
    for (uint32_t amount : amounts)
        sum += rule(amount);
    return sum;
}

static __attribute__((noinline)) uint64_t handle(uint32_t kind, uint64_t value)
{
    switch (kind) {
    case 0: return value;
    case 1: return value * 3;
    case 2: return value ^ 0x5555;
    case 3: return value >> 2;
    case 4: return ~value;
    case 5: return value + 17;
    case 6: return value - 4;
    default: return 0;
    }
}

static uint64_t serve(const Customers &customers, uint64_t rounds, uint64_t seed)
{
    Random random{seed};
    const std::unique_ptr<Tariff> tariffs[] = {std::make_unique<Plain>(),
                                               std::make_unique<Shared>()};
    std::vector<uint32_t> amounts(2048);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        for (uint32_t &amount : amounts)
            amount = static_cast<uint32_t>(random.next() % 1000);
        const Customer *customer = customers.find(amounts[0] * 8);
        const uint32_t discount = customer ? customer->discount : 0;
        sum += charge(amounts, [discount](uint32_t amount) { return amount / (discount + 1); });
        for (uint32_t amount : amounts)
            sum += handle(amount % 8, sum) + tariffs[amount % 4 == 0]->price(amount);
    }
    return sum;
}

} // namespace shop

int main(int argc, char **argv)
{
    const uint64_t rounds = argc > 1 ? strtoull(argv[1], nullptr, 10) : 100;
    const unsigned threads = argc > 2 ? static_cast<unsigned>(atoi(argv[2])) : 1;
    const shop::Customers customers(8192);
    std::vector<uint64_t> sums(threads);
    std::vector<std::thread> running;
    for (unsigned i = 1; i < threads; i++)
        running.emplace_back([&, i] { sums[i] = shop::serve(customers, rounds, 7 + i); });
    sums[0] = shop::serve(customers, rounds, 7);
    for (std::thread &thread : running)
        thread.join();
    for (uint64_t sum : sums)
        printf("%llu\n", static_cast<unsigned long long>(sum));
}

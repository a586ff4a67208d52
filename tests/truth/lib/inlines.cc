// What C++ has that C has not: templates, lambdas, classes inside of functions, namespaces, exceptions.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
};
template <typename T> inline T clamp_to(T value, T low, T high)
{
    return value < low ? low : high < value ? high : value;
}
} // namespace

namespace shapes {
double total(const std::vector<std::unique_ptr<Shape>> &all)
{
    double sum = 0;
    for (const auto &shape : all)
        sum += clamp_to(shape->area(), 0.5, 1e6);
    return sum;
}

std::map<std::string, int> count(const std::vector<std::string> &words)
{
    struct Counter {
        std::map<std::string, int> seen;
        __attribute__((noinline)) void add(const std::string &word)
        {
            if (word.empty())
                throw std::invalid_argument("an empty word");
            ++seen[word];
        }
    } counter;
    for (const auto &word : words)
        counter.add(word);
    return counter.seen;
}

void sort_by_length(std::vector<std::string> &words)
{
    std::sort(words.begin(), words.end(),
              [](const std::string &a, const std::string &b) { return a.size() < b.size(); });
}
} // namespace shapes

extern "C" double use_shapes(int n)
{
    std::vector<std::unique_ptr<Shape>> all;
    std::vector<std::string> words;
    for (int i = 0; i < n; i++) {
        all.emplace_back(new Square(i));
        words.push_back(std::string(static_cast<size_t>(i % 7 + 1), 'x'));
    }
    shapes::sort_by_length(words);
    try {
        return shapes::total(all) + static_cast<double>(shapes::count(words).size());
    } catch (const std::exception &) {
        return -1;
    }
}

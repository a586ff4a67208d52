#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int N> struct F { static constexpr long value = F<N - 1>::value + F<N - 2>::value; };
template <> struct F<1> { static constexpr long value = 1; };
template <> struct F<0> { static constexpr long value = 0; };
int main()
{
    std::map<std::string, int> m;
    std::vector<int> v;
    for (int i = 0; i < 2000; i++)
        m["k" + std::to_string(i % 97)] += i, v.push_back(i * 7919 % 1009);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 31 != b % 31 ? a % 31 < b % 31 : a < b; });
    std::cout << F<60>::value << ' ' << m["k13"] << ' ' << v[1000] << ' '
              << std::regex_replace(std::string("aaxbbx"), std::regex("[a-b]+"), "<$&>") << '\n';
    try { m.at("none"); } catch (const std::out_of_range &) { std::cout << "out of range\n"; }
    return 3;
}

"""
>>> fib(10)
55
>>> [n for n in range(5)]
[0, 1, 2, 3, 4]
"""
import collections, functools, itertools


@functools.lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Tree:
    def __init__(self, *below):
        self.below = below

    def __iter__(self):
        for b in self.below:
            yield from b if isinstance(b, Tree) else [b]


if __name__ == "__main__":
    print(fib(90), list(Tree(1, Tree(2, Tree(3)), 4)), collections.Counter("mississippi").most_common(2))
    print(sum(1 for p in itertools.permutations(range(7)) if p[0] < p[1]))

import sys, threading, time


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


class Work:
    def squares(self, n):
        return sum(self.one(i) for i in range(n))

    def one(self, i):
        return i * i % 7


def wait(seconds):
    time.sleep(seconds)


def main(k):
    for _ in range(k):
        fib(20)
        Work().squares(5000)
        wait(0.01)
        thread = threading.Thread(target=fib, args=(18,))
        thread.start()
        thread.join()


main(int(sys.argv[1]))

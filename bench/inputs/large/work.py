def work(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) % 1000003
        if s & 1:
            s += len(str(i))
    return s


print(work(6000000))

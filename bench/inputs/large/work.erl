-module(work).
-export([main/0, fib/1]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
main() ->
    io:format("~p~n", [fib(32)]),
    L = [(X * 7919) rem 65537 || X <- lists:seq(1, 400000)],
    io:format("~p~n", [lists:sum(lists:sort(L))]),
    halt().

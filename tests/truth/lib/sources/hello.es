#!/usr/bin/env escript
main([A]) -> io:format("~s ~w~n", [A, erlang:phash2(A)]), erlang:halt(4).

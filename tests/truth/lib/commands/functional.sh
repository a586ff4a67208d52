with ghc
slow ghc-compiles sh -c 'ghc -v0 -O1 -o out hello.hs && ./out'
slow ghc-interprets sh -c 'ghc -e "sum [x * x \`mod\` 7 | x <- [1 .. 20000 :: Int]]" hello.hs'
slow ghc-error sh -c 'echo "main = putStrLn (1 :: Int)" >bad.hs; ghc -v0 bad.hs'
slow haskell-computes ./hello-hs compute
slow haskell-threads ./hello-hs threads +RTS -N2
slow haskell-throws ./hello-hs throws
slow haskell-timer ./hello-hs compute +RTS -V0.001 -C0.001
with ocaml
slow ocaml-toplevel sh -c 'echo "let rec f n = if n < 2 then n else f (n-1) + f (n-2);; print_int (f 20);; List.sort compare [3;1;2];; raise Not_found;;" | ocaml -noinit -noprompt'
slow ocaml-bytecode sh -c 'ocamlc -o out hello.ml && ./out'
slow ocaml-native sh -c 'ocamlfind ocamlopt -v >/dev/null 2>&1; ocamlopt -O3 -o out hello.ml 2>/dev/null && ./out'
slow ocaml-error sh -c 'echo "let x : int = true" >bad.ml; ocamlc bad.ml'
with erl
slow erlang-computes erl -noshell -eval 'F = fun F(0) -> 1; F(N) -> N * F(N - 1) end, io:format("~p~n", [F(200)]), halt(3).'
slow erlang-processes erl -noshell -eval 'S = self(), [spawn(fun() -> S ! {N, lists:sum(lists:seq(1, N))} end) || N <- lists:seq(1, 500)], io:format("~p~n", [lists:sum([receive {_, X} -> X end || _ <- lists:seq(1, 500)])]), halt().'
slow erlang-single-mapped erl +JMsingle true -noshell -eval 'io:format("~p~n", [lists:foldl(fun(X, A) -> (A * 31 + X) rem 1000003 end, 1, lists:seq(1, 100000))]), halt().'
slow erlang-catches erl -noshell -eval 'io:format("~p ~p~n", [catch throw(x), try 1 / (length([]) * 1.0) catch error:E -> E end]), halt(7).'
slow erlang-one-scheduler erl +S 1 +SDio 1 -noshell -eval 'T = ets:new(t, [ordered_set]), [ets:insert(T, {N * 7919 rem 1009, N}) || N <- lists:seq(1, 20000)], io:format("~p~n", [ets:first(T)]), halt().'
slow escript escript hello.es word
with swipl
slow prolog-queens swipl -q -g 'numlist(1,8,L), findall(Q, (permutation(L,Q), \+ (nth1(I,Q,X), nth1(J,Q,Y), I<J, D is J-I, (Y-X=:=D ; X-Y=:=D))), Qs), length(Qs,N), print(N), nl' -t 'halt(3)'
slow prolog-catches swipl -q -g 'catch(atom_length(_, _), E, (print_message(silent, E), write(caught), nl)), X is 2**200, write(X), nl' -t halt
slow prolog-constraints swipl -q -l puzzle.pl -g 'puzzle(V), print(V), nl' -t halt
slow prolog-threads swipl -q -g 'findall(T, (between(1,4,N), thread_create((numlist(1,20000,L), sum_list(L,S), X is S*N, thread_exit(X)), T)), Ts), maplist([T,R]>>thread_join(T,R), Ts, Rs), print(Rs), nl' -t halt

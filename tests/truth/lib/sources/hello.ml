module M = Map.Make (String)
exception Found of int

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  Printf.printf "%d\n" (fib 24);
  let m = ref M.empty in
  for i = 1 to 20000 do
    let k = "k" ^ string_of_int (i mod 97) in
    m := M.add k (i + try M.find k !m with Not_found -> 0) !m
  done;
  Printf.printf "%d %d\n" (M.cardinal !m) (M.find "k13" !m);
  (try for i = 1 to 1000000 do if i * i mod 10007 = 9 && i > 500 then raise (Found i) done with Found i -> Printf.printf "%d\n" i);
  Gc.compact ();
  (try ignore (List.hd []) with Failure s -> print_endline s);
  exit 5

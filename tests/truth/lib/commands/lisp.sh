with sbcl
slow sbcl-computes sbcl --noinform --non-interactive --no-userinit --eval '(progn (defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (format t "~a ~a~%" (fib 22) (expt 3 300)))'
slow sbcl-conditions sbcl --noinform --non-interactive --no-userinit --eval '(progn (print (handler-case (car 5) (type-error () :caught))) (print (restart-case (invoke-restart (quote mine) 3) (mine (x) (* x 2)))) (print (catch (quote a) (unwind-protect (throw (quote a) 1) (print :cleaned)))) (terpri) (sb-ext:exit :code 6))'
slow sbcl-compiles sh -c 'echo "(defun f (x) (declare (fixnum x)) (loop for i below x sum (mod (* i i) 7))) (format t \"~a~%\" (f 100000))" >x.lisp; sbcl --noinform --non-interactive --no-userinit --eval "(load (compile-file \"x.lisp\" :verbose nil :print nil))" 2>&1 | grep -v "^;"'
slow sbcl-garbage sbcl --noinform --non-interactive --no-userinit --eval '(let ((h (make-hash-table :test (quote equal)))) (dotimes (i 60000) (setf (gethash (format nil "k~a" (mod i 997)) h) (list i i i))) (sb-ext:gc :full t) (format t "~a ~a~%" (hash-table-count h) (gethash "k13" h)))'
slow sbcl-exhausted sbcl --noinform --non-interactive --no-userinit --eval '(labels ((f (n) (+ 1 (f (+ n 1))))) (handler-case (f 0) (storage-condition () (format t "exhausted~%"))))'
slow sbcl-threads sbcl --noinform --non-interactive --no-userinit --eval '(let ((ts (loop for n below 4 collect (let ((n n)) (sb-thread:make-thread (lambda () (loop for i below 100000 sum (* i n)))))))) (format t "~a~%" (mapcar (function sb-thread:join-thread) ts)))'
with guile
slow guile-computes guile --no-auto-compile -c '(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 20)) (newline) (display (exact->inexact 22/7)) (newline)'
slow guile-interpreted guile --no-auto-compile -c '(use-modules (ice-9 match)) (define (f x) (match x ((a . b) (+ a (f b))) (() 0))) (display (f (iota 1000))) (newline) (exit 5)'
slow guile-continuations guile --no-auto-compile -c '(define k #f) (define n 0) (display (+ 1 (call/cc (lambda (c) (set! k c) 1)))) (newline) (set! n (+ n 1)) (if (< n 20) (k n)) (display (call-with-prompt (quote p) (lambda () (+ 1 (abort-to-prompt (quote p) 5))) (lambda (k x) (k (* x 2))))) (newline)'
slow guile-fails sh -c 'guile --no-auto-compile -c "(display 1) (newline) (vector-ref (vector 1 2) 5)" 2>&1 | sed "s/7f[0-9a-f]*//g"'
with clisp
slow clisp-computes clisp -q -norc -x '(loop for i below 20000 sum (mod (* i i) 7))'
slow clisp-compiled sh -c 'echo "(defun f (n) (if (zerop n) 1 (* n (f (1- n))))) (print (f 100))" >x.lisp; clisp -q -norc -c x.lisp >/dev/null && clisp -q -norc x.fas'
with ecl
slow ecl-bytecode ecl -norc -eval '(progn (print (handler-case (error "x") (error () 7))) (print (let ((s 0)) (dotimes (i 30000 s) (incf s (mod i 13))))) (terpri) (ext:quit 3))'
with csi
slow chicken-csi csi -n -q -e '(import (chicken format)) (define (loop i s) (if (= i 0) s (loop (- i 1) (modulo (+ (* s 31) i) 1000003)))) (printf "~a~%" (loop 200000 1)) (exit 2)'
slow chicken-csc sh -c 'echo "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 20)) (newline) (display (call/cc (lambda (k) (for-each (lambda (x) (if (> x 3) (k x))) (list 1 5 2)) 0))) (newline)" >x.scm; csc -O2 x.scm -o x && ./x'
with racket
slow racket-computes racket -e '(for/sum ([i 100000]) (modulo (* i i) 7))' -e '(call/ec (lambda (k) (for ([x 10]) (when (= x 4) (k x)))))'
slow racket-places racket -e '(define ch (make-channel)) (for ([i 5]) (thread (lambda () (channel-put ch (* i i))))) (sort (for/list ([i 5]) (channel-get ch)) <)' -e '(with-handlers ([exn:fail? (lambda (e) (displayln (exn-message e)))]) (car 5))'
with gforth
slow gforth gforth -e ': fib dup 2 < if else dup 1- recurse swap 2 - recurse + then ; 20 fib . : t 0 100000 0 do i 7 mod + loop . ; t cr bye'

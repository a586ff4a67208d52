with luajit
slow luajit-traces luajit -e 'local s = 0 for i = 1, 2e7 do s = (s * 31 + i) % 1000003 end print(s)'
slow luajit-interpreted luajit -joff -e 'local t = {} for i = 1, 200000 do t[i % 997] = (t[i % 997] or 0) + i end print(t[13])'
slow luajit-ffi luajit -e 'local ffi = require("ffi") ffi.cdef[[ typedef struct { int a; double b; } p; int abs(int); void qsort(void *, size_t, size_t, int (*)(const int *, const int *)); ]] local a = ffi.new("int[200]") for i = 0, 199 do a[i] = i * 7919 % 211 end ffi.C.qsort(a, 200, 4, function(x, y) return x[0] - y[0] end) print(a[0], a[100], a[199], ffi.C.abs(-7))'
slow luajit-strings luajit -e 'local n = 0 for l in io.lines("text") do n = n + #l:gsub("%d", "x"):upper() end print(n, ("%5.2f|%q"):format(3.14159, "a\n"))'
slow luajit-coroutines luajit -e 'local function g(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * 2) end end) end local s = 0 for x in g(100000) do s = s + x end print(s)'
slow luajit-errors luajit -e 'for i = 1, 20000 do local ok, e = pcall(function() if i % 3 == 0 then error({i}) end return i end) if not ok and e[1] == 9999 then print("caught") end end os.exit(3)'
slow luajit-bits luajit -e 'local b = require("bit") local x = 1 for i = 1, 1000000 do x = b.bxor(b.lshift(x, 1), b.rshift(x, 3), i) end print(x)'
slow luajit-bytecode sh -c 'echo "print(6 * 7)" >x.lua; luajit -b x.lua x.out && luajit x.out; luajit -bl x.lua | wc -l'
slow luajit-options luajit -O0 -Ohotloop=2 -e 'local t = setmetatable({}, { __index = function(t, k) return k * 2 end }) local s = 0 for i = 1, 300000 do s = s + t[i] end print(s)'
with lua5.4
slow lua54-integers lua5.4 -e 'print(1 << 62, 7 // 2, -7 // 2, 7 % -3, 2^53, math.maxinteger + 1 == math.mininteger, string.pack("<i4z", 77, "abc"):byte(1, -1))'
slow lua54-closes lua5.4 -e 'do local x <close> = setmetatable({}, { __close = function() print("closed") end }) print("in") end goto out do print("never") end ::out:: print(utf8.char(228, 8364), utf8.len("äö"))'
slow lua54-deep lua5.4 -e 'local function f(n) return 1 + f(n + 1) end print(pcall(f, 1)) print(select(2, pcall(string.rep, "x", 1 << 40)))'
with luac5.4
slow luac sh -c 'luac5.4 -l -l -p source.lua | sed "s/0x[0-9a-f]*//"; luac5.4 -p text; echo $?'

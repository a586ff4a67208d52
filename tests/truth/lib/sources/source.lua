local function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end
local t = { a = 1, [2] = "b" }
for k, v in pairs(t) do t[k] = tostring(v) .. "x" end
return f, t

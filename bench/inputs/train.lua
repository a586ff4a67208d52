-- train.lua ROUNDS: the training input of lua. Each round does some of every kind of work with numbers
-- of its own and prints what came out; nothing depends on addresses, the clock or the hash seed.

local state
local function random(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 65536 % n
end

local function count_words()
    local words, text = {}, {}
    for i = 1, 400 do text[i] = "w" .. random(90) .. (random(5) == 0 and ".\n" or " ") end
    for word in table.concat(text):gmatch("%a%d+") do words[word] = (words[word] or 0) + 1 end
    local names = {}
    for name in pairs(words) do names[#names + 1] = name end
    table.sort(names)
    local out = {}
    for i, name in ipairs(names) do out[i] = name .. "=" .. words[name] end
    return #table.concat(out, ",")
end

local function sort_numbers()
    local numbers = {}
    for i = 1, 1500 do numbers[i] = random(32768) end
    table.sort(numbers)
    table.sort(numbers, function(a, b) return a % 1000 > b % 1000 or (a % 1000 == b % 1000 and a < b) end)
    return numbers[1] * 3 + numbers[750]
end

local function call_closures()
    local function counter(step)
        local at = 0
        return function(by) at = at + step * by; return at end
    end
    local counters, sum = {}, 0
    for i = 1, 50 do counters[i] = counter(i) end
    for i = 1, 6000 do sum = (sum + counters[i % 50 + 1](random(7))) % 1000003 end
    return sum
end

local function multiply_matrices()
    local n, a, b = 22, {}, {}
    for i = 1, n do
        a[i], b[i] = {}, {}
        for j = 1, n do a[i][j], b[i][j] = random(100) / 7, random(100) / 3 end
    end
    local trace = 0.0
    for i = 1, n do
        for j = 1, n do
            local sum = 0.0
            for k = 1, n do sum = sum + a[i][k] * b[k][j] end
            if i == j then trace = trace + sum end
        end
    end
    return string.format("%.4f", trace)
end

local function rewrite_strings()
    local text = {}
    for i = 1, 120 do text[i] = string.format("%05d:%s;", random(30000), ("ab"):rep(random(6))) end
    local long = table.concat(text)
    local swapped = long:gsub("(%d+):(%a*)", "%2<%1>"):upper():reverse()
    local _, n = swapped:gsub("BA", "")
    return #swapped + n
end

local function queue_and_stack()
    local queue, first, last, sum = {}, 1, 0, 0
    for i = 1, 4000 do
        last = last + 1
        queue[last] = { i, random(10) }
        if random(3) > 0 then
            sum = (sum + queue[first][1] * queue[first][2]) % 99991
            queue[first] = nil
            first = first + 1
        end
        if first > last then first, last = 1, 0 end
    end
    return sum
end

local work = { count_words, sort_numbers, call_closures, multiply_matrices, rewrite_strings, queue_and_stack }
for round = 1, tonumber(arg[1]) do
    state = round * 7919
    local results = {}
    for again = 1, 30 do
        for i, task in ipairs(work) do results[i] = tostring(task()) end
    end
    print(round, table.concat(results, " "))
end

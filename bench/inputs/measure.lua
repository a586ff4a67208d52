-- measure.lua ROUNDS: the measuring input of lua, with other work than the training input. Each round
-- prints what came out; nothing depends on addresses, the clock or the hash seed.

local state
local function random(n)
    state = (state * 1664525 + 1013904223) % 4294967296
    return state // 4096 % n
end

local function sieve()
    local composite, found = {}, 0
    for i = 2, 9000 do
        if not composite[i] then
            found = found + 1
            for j = i * i, 9000, i do composite[j] = true end
        end
    end
    return found
end

local function move_bodies()
    local bodies = {}
    for i = 1, 5 do bodies[i] = { x = random(100) / 10, y = random(100) / 10, vx = 0.0, vy = 0.0, mass = 1 + random(9) } end
    for _ = 1, 120 do
        for i = 1, #bodies do
            local a = bodies[i]
            for j = i + 1, #bodies do
                local b = bodies[j]
                local dx, dy = a.x - b.x, a.y - b.y
                local pull = 0.001 / ((dx * dx + dy * dy + 0.1) ^ 1.5)
                a.vx, a.vy = a.vx - dx * b.mass * pull, a.vy - dy * b.mass * pull
                b.vx, b.vy = b.vx + dx * a.mass * pull, b.vy + dy * a.mass * pull
            end
        end
        for _, body in ipairs(bodies) do body.x, body.y = body.x + body.vx, body.y + body.vy end
    end
    return string.format("%.9f", bodies[1].x + bodies[5].y)
end

local function encode(value, out)
    if type(value) ~= "table" then
        out[#out + 1] = type(value) == "string" and '"' .. value .. '"' or tostring(value)
    elseif value[1] ~= nil then
        out[#out + 1] = "["
        for i, item in ipairs(value) do
            if i > 1 then out[#out + 1] = "," end
            encode(item, out)
        end
        out[#out + 1] = "]"
    else
        out[#out + 1] = '{"k":'
        encode(value.k, out)
        out[#out + 1] = "}"
    end
end

local function decode(text, at)
    local c = text:sub(at, at)
    if c == "[" then
        local items = {}
        repeat items[#items + 1], at = decode(text, at + 1) until text:sub(at, at) ~= ","
        return items, at + 1
    elseif c == "{" then
        local value, after = decode(text, at + 5)
        return { k = value }, after + 1
    elseif c == '"' then
        local close = text:find('"', at + 1, true)
        return text:sub(at + 1, close - 1), close + 1
    end
    local number = text:match("^%-?[%d.]+", at)
    return tonumber(number), at + #number
end

local function make_tree(depth)
    if depth == 0 then return random(2) == 0 and random(1000) or "s" .. random(50) end
    if random(3) == 0 then return { k = make_tree(depth - 1) } end
    local items = {}
    for i = 1, 2 + random(3) do items[i] = make_tree(depth - 1) end
    return items
end

local function encode_and_decode()
    local out = {}
    encode(make_tree(6), out)
    local text = table.concat(out)
    local again = {}
    encode((decode(text, 1)), again)
    assert(table.concat(again) == text)
    return #text
end

local function place_queens()
    local n, found, columns, up, down = 6, 0, {}, {}, {}
    local function place(row)
        if row > n then found = found + 1; return end
        for c = 1, n do
            if not (columns[c] or up[row + c] or down[row - c]) then
                columns[c], up[row + c], down[row - c] = true, true, true
                place(row + 1)
                columns[c], up[row + c], down[row - c] = nil, nil, nil
            end
        end
    end
    place(1)
    return found
end

local Shape = {}
Shape.__index = Shape
Shape.__lt = function(a, b) return a.size < b.size or (a.size == b.size and a.id < b.id) end
function Shape.new(id) return setmetatable({ id = id, size = random(500) }, Shape) end
function Shape:grow(by) self.size = (self.size + by) % 500; return self end

local function sort_objects()
    local shapes = {}
    for i = 1, 300 do shapes[i] = Shape.new(i):grow(i) end
    table.sort(shapes)
    return shapes[1].id + shapes[150].size * 7
end

local function pass_through_coroutines()
    local function numbers(n)
        return coroutine.wrap(function() for _ = 1, n do coroutine.yield(random(1000)) end end)
    end
    local function odd(from)
        return coroutine.wrap(function() for v in from do if v % 2 == 1 then coroutine.yield(v) end end end)
    end
    local sum = 0
    for v in odd(numbers(600)) do sum = sum + v end
    return sum
end

local function build_trees()
    local function tree(depth) return depth > 0 and { tree(depth - 1), tree(depth - 1) } or {} end
    local function check(node) return node[1] and 1 + check(node[1]) + check(node[2]) or 1 end
    return check(tree(9))
end

local function cut_strings()
    local parts, sum = {}, 0
    for i = 1, 150 do parts[i] = ("%x-%d"):format(random(65536), i) end
    local line = table.concat(parts, "|")
    for field in line:gmatch("[^|]+") do
        local hex, number = field:match("^(%x+)-(%d+)$")
        sum = (sum + tonumber(hex, 16) * tonumber(number)) % 1000003
        sum = sum + field:byte(1) + #field:lower():rep(2)
    end
    return sum
end

local work = { sieve, move_bodies, encode_and_decode, place_queens, sort_objects, pass_through_coroutines, build_trees, cut_strings }
for round = 1, tonumber(arg[1]) do
    state = round * 104729
    local results = {}
    for again = 1, 50 do
        for i, task in ipairs(work) do results[i] = tostring(task()) end
    end
    print(round, table.concat(results, " "))
end

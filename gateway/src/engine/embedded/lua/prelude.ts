/**
 * Runs once in a new Lua, while its tables can be changed. Puts Redis's conversions of numbers and results in place of those of the
 * WebAssembly build, whose integers have 32 bits and which returns the last of several results. Its arguments are Redis's version as
 * text and as a number, the marks of an argument that is a number and of a command in RESP3, and the text of the error of a script
 * that took too many steps.
 */
export const prelude = `
local VERSION_TEXT, VERSION_NUMBER, NUMBER, RESP3, TOO_MANY_STEPS = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6]
local host_pcall, host_setresp = redis.pcall, redis.setresp
local host_format, host_tonumber = string.format, tonumber
local host_pack, host_unpack, host_size = struct.pack, struct.unpack, struct.size
local error, pcall, xpcall, type, select, unpack = error, pcall, xpcall, type, select, unpack
local loadstring, tostring, rawget, pairs, ipairs = loadstring, tostring, rawget, pairs, ipairs
local floor, match, gmatch, gsub, sub, rep, lower, upper, find = math.floor, string.match, string.gmatch, string.gsub,
  string.sub, string.rep, string.lower, string.upper, string.find
local reverse, concat, remove = string.reverse, table.concat, table.remove
local resume = coroutine.resume
local globals = _G
local MAX_INTEGER = 2^63

-- The version of RESP in which commands reply to the script.
local resp = 2

-- The library's Lua raises a mark in place of this message.
getmetatable(globals).__index = function(_, name)
  error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
end

-- The functions that the library which is being loaded has registered; nil if none is.
local loading

-- A reply in RESP3, in which null is nil. No command replies with false.
local function without_nulls(reply)
  if reply == false then return nil end
  if type(reply) == 'table' then
    for key, item in pairs(reply) do reply[key] = without_nulls(item) end
  end
  return reply
end

local function send(...)
  if resp == 3 and select('#', ...) > 0 then return without_nulls(host_pcall(RESP3, ...)) end
  return host_pcall(...)
end

-- Sends a command. Numbers get a mark, by which their spelling is left to the engine.
local function call(name, ...)
  if loading then error("Script attempted to access nonexistent global variable '" .. name .. "'", 3) end
  local list, count, has_numbers = { ... }, select('#', ...), false
  for at = 1, count do
    local kind = type(list[at])
    if kind == 'number' then
      list[at], has_numbers = NUMBER .. host_format('%.17g', list[at]), true
    elseif kind ~= 'string' then
      return { err = 'ERR Lua redis lib command arguments must be strings or integers' }
    end
  end
  if has_numbers then return send(unpack(list, 1, count)) end
  return send(...)
end

redis.pcall = function(...) return call('pcall', ...) end
redis.call = function(...)
  local reply = call('call', ...)
  if type(reply) == 'table' and rawget(reply, 'err') then error(reply, 0) end
  return reply
end
redis.setresp = function(version, ...)
  if select('#', ...) > 0 or version == nil then error({ err = 'ERR redis.setresp() requires one argument.' }, 0) end
  if version ~= 2 and version ~= 3 then error({ err = 'ERR RESP version must be 2 or 3.' }, 0) end
  resp = version
  host_setresp(version)
end
-- The results of a protected call. The end of a script that took too many steps can't be caught: it would go on forever.
local function results(ok, thrown, ...)
  if not ok and type(thrown) == 'string' and find(thrown, TOO_MANY_STEPS, 1, true) then error(thrown, 0) end
  return ok, thrown, ...
end
-- An error of a host's function as the script's: without its place in this prelude, and with the function's own name.
local function as_script(message, place)
  return (gsub(gsub(message, '^prelude:%d+: ', place), "'host_(%w+)'", "'%1'"))
end
-- A table with an error is caught as its message.
local function with_message(ok, thrown, ...)
  if not ok and type(thrown) == 'string' then return false, as_script(thrown, '') end
  if not ok and type(thrown) == 'table' and type(rawget(thrown, 'err')) == 'string' then return false, thrown.err end
  return ok, thrown, ...
end
globals.pcall = function(...) return with_message(results(pcall(...))) end
coroutine.resume = function(...) return results(resume(...)) end
globals.xpcall = function(chunk, handler)
  local cause
  local function after(ok, ...)
    results(ok, cause)
    return ok, ...
  end
  return after(xpcall(chunk, function(thrown)
    cause = thrown
    return handler(thrown)
  end))
end
redis.error_reply = function(...)
  local message = ...
  if select('#', ...) ~= 1 or type(message) ~= 'string' then return { err = 'ERR wrong number or type of arguments' } end
  message = gsub(message, '^%-', '')
  return { err = find(message, ' ', 1, true) and message or 'ERR ' .. message }
end
redis.replicate_commands = function() return true end
redis.set_repl = function(...)
  if select('#', ...) ~= 1 then error({ err = 'ERR redis.set_repl() requires one argument.' }, 0) end
  local flags = ...
  if type(flags) ~= 'number' or flags < 0 or flags > 3 then
    error({ err = 'ERR Invalid replication flags. Please use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.' }, 0)
  end
end
redis.breakpoint = function() return false end
redis.debug = function() end
redis.acl_check_cmd = function(...)
  if select('#', ...) == 0 then
    error({ err = 'ERR Please specify at least one argument for this redis.acl_check_cmd() call' }, 0)
  end
  local info = call('acl_check_cmd', 'COMMAND', 'INFO', (...))
  if info.err then error(info, 0) end
  if not info[1] then error({ err = 'ERR Invalid command passed to redis.acl_check_cmd()' }, 0) end
  return true
end
redis.REPL_NONE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA, redis.REPL_ALL = 0, 1, 2, 2, 3
redis.REDIS_VERSION, redis.REDIS_VERSION_NUM = VERSION_TEXT, VERSION_NUMBER

-- string.format: integers have 64 bits.
local BASES = { d = 10, i = 10, u = 10, x = 16, X = 16, o = 8 }

-- The digits of an integer in 64 bits; in base 10 of one that is not negative, unless is_unsigned.
local function digits(number, base, is_unsigned)
  if base == 10 and not is_unsigned then return host_format('%.0f', number + 0) end
  local high, low = floor(number / 2^32), number % 2^32
  if high < 0 then high = high + 2^32 end
  local out = {}
  repeat
    low = low + high % base * 2^32
    high = floor(high / base)
    local digit = low % base
    low = floor(low / base)
    out[#out + 1] = sub('0123456789abcdef', digit + 1, digit + 1)
  until high == 0 and low == 0
  return reverse(concat(out))
end

local function truncated(number)
  number = number < 0 and -floor(-number) or floor(number)
  if number ~= number or number >= MAX_INTEGER or number < -MAX_INTEGER then return -MAX_INTEGER end
  return number
end

local function format_integer(number, flags, width, precision, kind)
  number = truncated(number)
  local is_signed = kind == 'd' or kind == 'i'
  local text = digits(is_signed and number < 0 and -number or number, BASES[kind], not is_signed)
  if kind == 'X' then text = upper(text) end
  if precision ~= '' then
    local least = host_tonumber(sub(precision, 2)) or 0
    if number == 0 and least == 0 then text = '' end
    text = rep('0', least - #text) .. text
  end
  local sign = ''
  if is_signed then
    sign = number < 0 and '-' or find(flags, '+', 1, true) and '+' or find(flags, ' ', 1, true) and ' ' or ''
  elseif find(flags, '#', 1, true) and number ~= 0 then
    sign = kind == 'o' and '0' or kind == 'x' and '0x' or kind == 'X' and '0X' or ''
  end
  local is_left = find(flags, '-', 1, true)
  if find(flags, '0', 1, true) and not is_left and precision == '' then
    text = rep('0', (host_tonumber(width) or 0) - #sign - #text) .. text
  end
  return host_format('%' .. (is_left and '-' or '') .. width .. 's', sign .. text)
end

string.format = function(pattern, ...)
  if type(pattern) ~= 'string' or not find(pattern, '%%[-+ #0]*%d*%.?%d*[diuxXo]') then return host_format(pattern, ...) end
  local values, count, at = { ... }, select('#', ...), 0
  local changed = gsub(pattern, '%%([-+ #0]*)(%d*)(%.?%d*)(.)', function(flags, width, precision, kind)
    if kind == '%' then return nil end
    at = at + 1
    local number = BASES[kind] and at <= count and host_tonumber(values[at])
    -- The host reports wrong values and formats.
    if not number or #width > 2 or #precision > 3 then return nil end
    values[at] = format_integer(number, flags, width, precision, kind)
    return '%s'
  end)
  return host_format(changed, unpack(values, 1, count))
end

tonumber = function(value, ...)
  local base = ...
  if select('#', ...) == 0 or base == nil or base == 10 then return host_tonumber(value, ...) end
  local result = host_tonumber(value, base)
  -- The host reports wrong values and bases, and is right for positive numbers below 32 bits.
  if result ~= 4294967295 and not (result and find(tostring(value), '-', 1, true)) then return result end
  local sign, text = match(lower(tostring(value)), '^%s*(%-?)(%w+)%s*$')
  if base == 16 then text = gsub(text, '^0x', '') end
  local number = 0
  for at = 1, #text do number = number * base + host_tonumber(sub(text, at, at), 36) end
  if number >= 2^64 then return 2^64 end
  return (sign == '-' and number > 0) and 2^64 - number or number
end

-- struct: integers of 8 bytes, and those of the size of a C long, which has 8 bytes where Redis runs. The host's have 4.
local LONGS = { l = 'i8', L = 'I8', T = 'I8' }

local function has_longs(format)
  return type(format) == 'string' and find(format, '[lLT]') or find(tostring(format), '[iI]8')
end

-- Calls visit for each value of a format, and each byte of padding: with the format of it alone, in which an integer of 8 bytes is
-- two of 4, with its letter, and, for such an integer, whether the higher half comes first.
local function each_part(format, visit)
  local order = ''
  for option, size in gmatch(gsub(format, '[lLT]', LONGS), '(.)(%d*)') do
    if option == '!' or option == 'c' and size == '0' then
      error('struct: ' .. option .. size .. ' is not supported with integers of 8 bytes in the embedded engine', 0)
    end
    if find(option, '[<>=]') then order = option
    elseif find(option, '[iI]') and size == '8' then visit(order .. 'i4i4', option, order == '>')
    elseif option ~= ' ' then visit(order .. option .. size, option)
    end
  end
end

struct.pack = function(format, ...)
  if not has_longs(format) then return host_pack(format, ...) end
  local given, at, out = { ... }, 0, {}
  each_part(format, function(part, option, is_big)
    if option ~= 'x' then at = at + 1 end
    if is_big == nil then
      out[#out + 1] = host_pack(part, given[at])
      return
    end
    local number = host_tonumber(given[at])
    if not number then error("bad argument #" .. (at + 1) .. " to 'pack' (number expected)", 0) end
    number = truncated(number)
    local high, low = floor(number / 2^32), number % 2^32
    -- As two's complement.
    if low >= 2^31 then low = low - 2^32 end
    out[#out + 1] = is_big and host_pack(part, high, low) or host_pack(part, low, high)
  end)
  return concat(out)
end

struct.unpack = function(format, data, position)
  if not has_longs(format) then return host_unpack(format, data, position) end
  local out, at = {}, position or 1
  each_part(format, function(part, option, is_big)
    if option == 'x' then at = host_unpack(part, data, at)
    elseif is_big == nil then out[#out + 1], at = host_unpack(part, data, at)
    else
      local high, low
      low, high, at = host_unpack(part, data, at)
      if is_big then high, low = low, high end
      out[#out + 1] = (option == 'i' and high or high % 2^32) * 2^32 + low % 2^32
    end
  end)
  out[#out + 1] = at
  return unpack(out)
end

struct.size = function(format)
  if not has_longs(format) then return host_size(format) end
  local size = 0
  each_part(format, function(part) size = size + host_size(part) end)
  return size
end

-- Types that have no form in a reply, where they are null. One of them is that of cjson.null.
local WITHOUT_FORM = { ['function'] = true, thread = true, userdata = true }

-- Results: numbers are cut to integers of 64 bits as by x86, and metatables do not count.
local function result_of(value, depth)
  if WITHOUT_FORM[type(value)] then return false end
  if type(value) == 'number' then
    if value ~= value or value >= MAX_INTEGER or value < -MAX_INTEGER then return -MAX_INTEGER end
    return value
  end
  if type(value) ~= 'table' then return value end
  if getmetatable(value) then pcall(setmetatable, value, nil) end
  if depth > 100 or type(value.double) == 'number' then return value end
  for key, item in pairs(value) do
    if type(item) ~= 'string' then
      local changed = result_of(item, depth + 1)
      if changed ~= item then value[key] = changed end
    end
  end
  return value
end

-- The message of an error, and the line of the script that it came from: that of the nearest frame that is part of it.
local function handler_of(chunk_name)
  local pattern = '^' .. chunk_name .. ':(%d+): $'
  return function(thrown)
    local line
    for level = 2, 20 do
      local _, where = pcall(error, '', level)
      line = match(where, pattern)
      if line then break end
    end
    if type(thrown) == 'table' and type(rawget(thrown, 'err')) == 'string' then
      return { rawget(thrown, 'err'), line or '' }
    end
    local place = line and chunk_name .. ':' .. line .. ': ' or ''
    return { 'ERR ' .. as_script(tostring(thrown), place), line or '' }
  end
end

-- Runs a function. Returns the version of RESP that the script chose and its first result, or its error, its line and their kind.
local function run(chunk_name, chunk, ...)
  resp = 2
  host_setresp(2)
  local given = { ... }
  local ok, result = xpcall(function() return (chunk(unpack(given))) end, handler_of(chunk_name))
  -- For the way out: doubles, maps and sets stay such.
  host_setresp(3)
  if not ok then return { result[1], result[2], 'error' } end
  if result == nil then return { resp } end
  return { resp, result_of(result, 0) }
end

-- What was compiled, by its source; forgotten when it is too many.
local function new_cache() return { values = {}, count = 0 } end
local function remember(cache, source, value)
  if cache.count >= 1000 then cache.values, cache.count = {}, 0 end
  cache.values[source], cache.count = value, cache.count + 1
  return value
end

local scripts = new_cache()
-- The chunk of a script, or nil and an error as run() returns one.
local function compile(source)
  if scripts.values[source] then return scripts.values[source] end
  local chunk, problem = loadstring(source, '@user_script')
  if not chunk then return nil, { 'ERR Error compiling script (new function): ' .. problem, '', 'compile' } end
  return remember(scripts, source, chunk)
end
-- ARGV[1] is the script. Runs it.
globals.warmline_run_script = function()
  local chunk, problem = compile(remove(ARGV, 1))
  if not chunk then return problem end
  return run('user_script', chunk)
end
-- ARGV[1] is the script. Returns the error that keeps it from being compiled, if there is one.
globals.warmline_compile = function()
  local _, problem = compile(remove(ARGV, 1))
  return problem or { 2 }
end

local FLAGS = {
  ['no-writes'] = true, ['allow-oom'] = true, ['allow-stale'] = true, ['no-cluster'] = true, ['allow-cross-slot-keys'] = true,
}

local function refuse(message) error({ err = 'ERR ' .. message }, 0) end

local function named_arguments(...)
  local count = select('#', ...)
  if count == 1 then
    local given = ...
    if type(given) ~= 'table' then
      refuse('calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).')
    end
    for name in pairs(given) do
      if name ~= 'function_name' and name ~= 'callback' and name ~= 'flags' and name ~= 'description' then
        refuse('unknown argument given to redis.register_function')
      end
    end
    return given
  end
  if count ~= 2 then refuse('wrong number of arguments to redis.register_function') end
  local name, callback = ...
  return { function_name = name, callback = callback }
end

local function register(functions, ...)
  local given = named_arguments(...)
  local name, callback, flags = given.function_name, given.callback, given.flags
  if name == nil then refuse('redis.register_function must get a function name argument') end
  if callback == nil then refuse('redis.register_function must get a callback argument') end
  if type(name) ~= 'string' then refuse('function_name argument given to redis.register_function must be a string') end
  if type(callback) ~= 'function' then refuse('callback argument given to redis.register_function must be a function') end
  if given.description ~= nil and type(given.description) ~= 'string' then
    refuse('description argument given to redis.register_function must be a string')
  end
  if flags ~= nil and type(flags) ~= 'table' then
    refuse('flags argument to redis.register_function must be a table representing function flags')
  end
  for _, flag in ipairs(flags or {}) do
    if not FLAGS[flag] then refuse('unknown flag given') end
  end
  if not match(name, '^[%w_]+$') then
    refuse('Function names can only contain letters, numbers, or underscores(_) and must be at least one character long')
  end
  for _, known in ipairs(functions) do
    if known.name == name then refuse('Function already exists in the library') end
  end
  functions[#functions + 1] = { name = name, callback = callback, flags = flags or {}, description = given.description }
end

local libraries = new_cache()
-- Runs the chunk of a library. Returns its functions, or nil and an error as run() returns one.
local function load_library(source)
  local chunk, problem = loadstring(source, '@user_function')
  if not chunk then return nil, { 'ERR Error compiling function: ' .. problem, '', 'compile' } end
  loading = {}
  local result, functions = run('user_function', chunk), loading
  loading = nil
  if result[3] == 'error' then return nil, result end
  return remember(libraries, source, functions)
end

redis.register_function = function(...)
  if not loading then refuse('redis.register_function can only be called on FUNCTION LOAD command') end
  register(loading, ...)
end

-- ARGV[1] is the source of a library. Returns the name, the description and the flags of each function.
globals.warmline_load = function()
  local source = remove(ARGV, 1)
  local functions, problem = load_library(source)
  if not functions then return problem end
  local out = {}
  for index, item in ipairs(functions) do
    out[index] = { item.name, item.description or false, item.flags }
  end
  return { 2, out }
end

-- Moves a script's table into another one, for a function, which has no such global.
local function taken(list, name)
  local out = {}
  for at = 1, #list do out[at], list[at] = list[at], nil end
  setmetatable(list, { __index = function()
    error("Script attempted to access nonexistent global variable '" .. name .. "'", 2)
  end })
  return out
end

-- ARGV[1] is the source of a library, ARGV[2] the name of one of its functions.
globals.warmline_run_function = function()
  local source, name = remove(ARGV, 1), remove(ARGV, 1)
  local functions, problem = libraries.values[source]
  if not functions then functions, problem = load_library(source) end
  if not functions then return problem end
  local keys, args = taken(KEYS, 'KEYS'), taken(ARGV, 'ARGV')
  for _, item in ipairs(functions) do
    if item.name == name then return run('user_function', item.callback, keys, args) end
  end
end
`;

-- No function of the framework panics, whatever its arguments are.
local function weird() error('weird', 0) end
local lists = {
  {}, { n = 1 }, { 1 }, { -1 }, { 0.5 }, { 'x' }, { '' }, { {} }, { weird }, { true }, { coroutine.create(weird) }, { cjson.null },
  { 'x', 'y' }, { 'x', weird }, { {}, 'x' }, { {}, {} }, { weird, weird }, { 1, 2, 3 }, { 'GET', 'k' }, { 'GET', weird }, { {}, 1, weird },
  { 'x', {}, {} }, { { 'a' }, { 'b' } }, { { { 'id' } } }, { { id = '1-1' } }, { { ['$set'] = {} } }, { 1 / 0 }, { 0 / 0 }, { 1e308, 1e308 },
  { { { f = 'v' } } }, { 'assertion', 'own', weird }, { setmetatable({}, { __tostring = weird, __index = weird, __eq = weird, __call = weird }) },
}
local skipped = { [finally] = true, [collectgarbage] = true }

-- each calls f with every function that can be reached from a table, and its name.
local function each(t, name, seen, f)
  if seen[t] then return end
  seen[t] = true
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  for _, k in ipairs(keys) do
    local v, path = rawget(t, k), name .. '.' .. tostring(k)
    if type(v) == 'function' then
      if not skipped[v] then f(v, path) end
    elseif type(v) == 'table' and t ~= v then
      each(v, path, seen, f)
    end
  end
  local meta = getmetatable(t)
  if type(meta) == 'table' then each(meta, name .. '.meta', seen, f) end
end

local function call_all(root, name)
  local n = 0
  each(root, name, {}, function(fn)
    for _, args in ipairs(lists) do
      n = n + 1
      pcall(fn, unpack(args, 1, args.n or #args))
    end
  end)
  return n
end

describe('the framework', function()
  it('has functions that do not panic', function() assert.is_true(call_all(_G, '_G') > 3000) end)
  it('has assertions that do not panic', function()
    local names = { 'equal', 'same', 'near', 'unique', 'matches', 'error', 'error_matches', 'returned_arguments', 'holes', 'truthy', 'true',
      'nil', 'callable', 'called', 'called_with', 'returned_with', 'called_at_least', 'keyspace', 'matches_snapshot', 'message', 'spy',
      'stub', 'array', 'not', 'is', '', '_', 'nosuch' }
    for _, name in ipairs(names) do
      for _, args in ipairs(lists) do
        pcall(function() return assert[name](unpack(args, 1, args.n or #args)) end)
        pcall(function() return assert.is_not[name](unpack(args, 1, args.n or #args)) end)
        pcall(function() return match[name](unpack(args, 1, args.n or #args)) end)
        pcall(function() return assert.spy(unpack(args, 1, args.n or #args))[name](unpack(args, 1, args.n or #args)) end)
        pcall(function() return assert.array(unpack(args, 1, args.n or #args))[name](unpack(args, 1, args.n or #args)) end)
      end
    end
  end)
  it('has objects whose methods do not panic', function()
    local spied = spy.new(weird)
    local stubbed = stub({ f = weird }, 'f')
    for _, o in ipairs { script('return 1'), spied, stubbed, stubbed.by_default, stubbed.on_call_with(1), assert.is, match.is, assert:snapshot(),
      redis.pcall('NOSUCH'), match.is_number() } do
      call_all(o, 'o')
      call_all(getmetatable(o) or {}, 'meta')
      for _, name in ipairs { 'run', 'prun', 'run_ro', 'clear', 'revert', 'called', 'returns', 'invokes', 'by_default', 'on_call_with', 'calls' } do
        for _, args in ipairs(lists) do
          pcall(function() return o[name](unpack(args, 1, args.n or #args)) end)
          pcall(function() return o[name](o, unpack(args, 1, args.n or #args)) end)
        end
      end
    end
  end)
  it('goes on', function()
    redis.call('SET', 'k', 1)
    assert.keyspace { k = 1 }
  end)
end)

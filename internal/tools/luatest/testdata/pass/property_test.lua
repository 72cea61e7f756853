-- property(name, generators, function): a test with many random values.
local seen, count = {}, 0

describe('generators', function()
  property('make values of their kinds', gen.integer(-3, 3), gen.number(0, 2), gen.boolean(), gen.string(1, 4), gen.arg(), gen.key(),
    function(i, n, b, s, a, k)
      count = count + 1
      seen[i], seen[tostring(b)] = true, true
      assert.is_true(i >= -3 and i <= 3 and i == math.floor(i))
      assert.is_true(n >= 0 and n <= 2)
      assert.is_boolean(b)
      assert.is_true(#s >= 1)
      assert.is_string(a)
      assert.is_string(k)
    end)
  it('have made all of them', function()
    for i = -3, 3 do assert.is_true(seen[i]) end
    assert.is_true(seen['true'] and seen['false'])
    assert.are.equal(100, count)
  end)
  property('are combined', { runs = 50 },
    gen.list(gen.oneof('a', gen.key('x', 'y')), 1, 3),
    gen.record { n = gen.integer(1, 5), fixed = 'f' },
    gen.map(gen.integer(0, 9), function(n) return n * 2 end),
    gen.filter(gen.integer(0, 9), function(n) return n % 2 == 1 end),
    function(list, record, even, odd)
      assert.is_true(#list >= 1 and #list <= 3)
      for _, v in ipairs(list) do assert.is_true(v == 'a' or v == 'x' or v == 'y') end
      assert.are.equal('f', record.fixed)
      assert.is_true(record.n >= 1 and record.n <= 5)
      assert.are.equal(0, even % 2)
      assert.are.equal(1, odd % 2)
    end)
  local types = {}
  property('make keyspaces', gen.keyspace('a', 'b'), function(keys)
    assert.keyspace {}
    fixture(keys)
    for _, k in ipairs { 'a', 'b' } do
      local kind = redis.call('TYPE', k).ok
      types[kind] = true
      assert.are.equal(keys[k] ~= nil, kind ~= 'none')
    end
  end)
  it('have made all types', function()
    assert.are.same({ none = true, string = true, list = true, hash = true, set = true, zset = true, stream = true }, types)
  end)
end)

describe('a property', function()
  local hooks = {}
  before_each(function() hooks[#hooks + 1] = 'before' redis.call('SET', 'n', 1) end)
  after_each(function() hooks[#hooks + 1] = 'after' end)
  property('has a Redis of its own in each run', { runs = 2 }, gen.integer(1, 9), function(n)
    assert.keyspace { n = 1 }
    redis.call('INCRBY', 'n', n)
    hooks[#hooks + 1] = 'run'
  end)
  it('has hooks in each run', function()
    assert.are.same({ 'before', 'run', 'after', 'before', 'run', 'after', 'before' }, hooks)
  end)
  property('needs no generators', { runs = 3 }, function(...) assert.are.equal(0, select('#', ...)) end)
  for name, case in pairs {
    ['without a name'] = { {}, 'name expected' },
    ['without a function'] = { { 'p', gen.integer() }, 'function expected behind the generators' },
    ['with a value in place of a generator'] = { { 'p', gen.integer(), 5, function() end }, 'a generator expected' },
    ['with an unknown option'] = { { 'p', { run = 1 }, function() end }, 'property has no option run' },
    ['with a wrong option'] = { { 'p', { runs = 0 }, function() end }, 'runs must be a number from 1' },
  } do
    local _, err = pcall(property, unpack(case[1]))
    it('is refused ' .. name, function() assert.matches(case[2], tostring(err)) end)
  end
  it('works in blocks only', function() assert.error_matches(function() property('x', function() end) end, 'inside a test') end)
  for name, case in pairs {
    ['an integer with wrong bounds'] = { gen.integer, { 2, 1 }, 'lower bound is above' },
    ['an integer with a fraction'] = { gen.integer, { 0.5 }, 'an integer of at most' },
    ['a list of no generator'] = { gen.list, { 'a' }, 'a generator expected' },
    ['a string of negative length'] = { gen.string, { -1 }, 'cannot be negative' },
    ['a record of a list'] = { gen.record, { { gen.integer() } }, 'gen.list makes lists' },
    ['a map without a function'] = { gen.map, { gen.integer() }, 'function expected' },
    ['nothing to choose from'] = { gen.oneof, {}, 'value or generator expected' },
    ['a keyspace without keys'] = { gen.keyspace, {}, 'names of keys expected' },
  } do
    it('refuses ' .. name, function() assert.error_matches(function() case[1](unpack(case[2])) end, case[3]) end)
  end
end)

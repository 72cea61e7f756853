-- Tests of the scripts of coupons.
local claim, find, undo, usage = script('claim.lua'),
  script('find.lua'),
  script('undo.lua'),
  script('usage.lua')
local NOW = 1704067200000000 -- the time of the clock in microseconds
local FROM, TO = NOW - 1000, NOW + 86400000000
local DAY = 1704153600000 -- when the keys of the day expire, in ms

-- try claims with a token. limits are lists: key, field, maximum, expiry.
local function try(token, limits, periods)
  local keys, args = {'claims'}, {token, 'claim of ' .. token, FROM, TO, 1 + #(periods or {}), DAY}
  for _, key in ipairs(periods or {}) do
    keys[#keys + 1] = key
  end
  for _, limit in ipairs(limits) do
    keys[#keys + 1] = limit[1]
    for i = 2, 4 do
      args[#args + 1] = limit[i]
    end
  end
  return claim:run(keys, args)
end

-- stored is a claim as it is kept.
local function stored(token) return '1704067200 0\nclaim of ' .. token end

describe('claim', function()
  local all, user, day = {'all', 'n', 2, -1}, {'user', 'ann', 1, DAY}, {'user', 'total', 5, DAY}

  it('counts for every limit', function()
    assert.are.same({'claimed', NOW}, try('t1', {all, user}))
    assert.keyspace{
      claims = ttl('24h', {t1 = stored('t1')}),
      all = {n = 1},
      user = ttl('24h', {ann = 1}),
    }
  end)

  it('writes two fields of a key in one call', function()
    assert.are.same({'claimed', NOW}, try('t1', {user, day, all}))
    assert.keyspace{
      claims = ttl('24h', {t1 = stored('t1')}),
      all = {n = 1},
      user = ttl('24h', {ann = 1, total = 1}),
    }
    assert.are.equal(3, #calls('HSET'))
  end)

  it('needs no limits', function() assert.are.same({'claimed', NOW}, try('t1', {})) end)

  it('claims once for a token', function()
    try('t1', {all})
    diff()
    assert.are.same({'repeated', stored('t1')}, try('t1', {all}))
    assert.are.same({}, diff())
  end)

  it('finds the token of another period', function()
    fixture{yesterday = {t1 = 'old'}}
    assert.are.same({'repeated', 'old'}, try('t1', {all}, {'yesterday'}))
    assert.are.same({'claimed', NOW}, try('t2', {all}, {'yesterday'}))
  end)

  it('refuses when limits are reached', function()
    try('t1', {all, user})
    diff()
    assert.are.same({'refused', 2, 1}, try('t2', {all, user}))
    assert.are.same({}, diff())
    try('t3', {all})
    assert.are.same({'refused', 1, 2, 2, 1}, try('t4', {all, user}))
  end)

  it('refuses at the wrong time', function()
    clock.set((FROM - 1) / 1000000)
    assert.are.same({'wrong time', FROM - 1}, try('t1', {all}))
    clock.set(TO / 1000000)
    assert.are.same({'wrong time', TO}, try('t1', {all}))
    assert.keyspace{}
    clock.set(TO / 1000000 - 1)
    assert.are.equal('claimed', try('t1', {all})[1])
  end)

  it('keeps the time to live of keys', function()
    try('t1', {user})
    try('t2', {day})
    assert.are.same({}, calls('PEXPIREAT'), 'it is right already')
    redis.call('PEXPIRE', 'user', 1000)
    redis.call('PEXPIRE', 'claims', 1000)
    redis.call('HSET', 'all', 'other', 1)
    redis.call('PEXPIRE', 'all', 1000)
    try('t3', {all, day})
    assert.are.same({-1, 86400000, 86400000},
      {redis.call('PTTL', 'all'), redis.call('PTTL', 'user'), redis.call('PTTL', 'claims')})
  end)

  it('writes nothing if a counter is something else', function()
    fixture{user = 'x'}
    assert.has_error(function() try('t1', {all, user}) end)
    assert.keyspace{user = 'x'}
  end)
end)

describe('find', function()
  local function look(keys, token) return find:run(keys, {token, FROM, TO}) end
  before_each(function() fixture{a = {t1 = 'claim 1'}, b = {t2 = 'claim 2'}} end)
  it('finds a claim in any period', function()
    assert.are.same({'found', 1, 'claim 1'}, look({'a', 'b'}, 't1'))
    assert.are.same({'found', 2, 'claim 2'}, look({'a', 'b'}, 't2'))
    assert.are.equal('none', look({'a', 'b'}, 't3'))
    assert.are.equal('none', look({}, 't1'))
  end)
  it('refuses at the wrong time', function()
    clock.set((FROM - 1) / 1000000)
    assert.are.same({'wrong time', FROM - 1}, look({'a'}, 't1'))
    clock.set(TO / 1000000)
    assert.are.same({'wrong time', TO}, look({'a'}, 't1'))
  end)
end)

describe('undo', function()
  local keys = {'claims', 'all', 'user'}
  local function back(is)
    return undo:run(keys, {'t1', is or 'c', 'undone', 1, 'n', 2, 'ann', 'total'})
  end
  before_each(function()
    fixture{claims = {t1 = 'c'}, all = {n = 3}, user = {ann = 1, total = 2}}
  end)

  it('lowers every counter', function()
    assert.are.equal('undone', back())
    assert.keyspace{claims = {t1 = 'undone'}, all = {n = 2}, user = {total = 1}}
  end)
  it('leaves out counters that are gone', function()
    redis.call('DEL', 'all')
    assert.are.equal('undone', back())
    assert.keyspace{claims = {t1 = 'undone'}, user = {total = 1}}
  end)
  it('happens once', function()
    back()
    diff()
    assert.are.equal('changed', back())
    assert.are.same({}, diff())
  end)
  it('needs the claim', function()
    redis.call('DEL', 'claims')
    assert.are.equal('changed', back())
  end)
  it('may have no counters', function()
    assert.are.equal('undone', undo:run({'claims'}, {'t1', 'c', 'undone'}))
  end)
end)

describe('usage', function()
  it('returns counts', function()
    fixture{all = {n = 3}, user = {ann = 1}}
    assert.are.same(
      {'ok', 3, 1, 0, 0},
      usage:run({'all', 'user', 'none'}, {FROM, TO, 1, 'n', 2, 'ann', 'bob', 1, 'x'})
    )
    assert.are.same({'ok'}, usage:run({}, {FROM, TO}))
  end)
  it('refuses at the wrong time', function()
    clock.set((FROM - 1) / 1000000)
    assert.are.same({'wrong time', FROM - 1}, usage:run({}, {FROM, TO}))
    clock.set(TO / 1000000)
    assert.are.same({'wrong time', TO}, usage:run({}, {FROM, TO}))
  end)
end)

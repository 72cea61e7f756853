-- Tests of the scripts of rate limiters.
local fixed, counter = script('common.lua', 'fixed.lua'), script('common.lua', 'counter.lua')
local bucket, gcra, log = script('common.lua', 'bucket.lua'),
  script('common.lua', 'gcra.lua'),
  script('common.lua', 'log.lua')
local reset = script('reset.lua')
local START = 1704067200 -- the time of the clock in seconds, the beginning of a minute
local SECOND, MINUTE = 1000000, 60000000 -- in microseconds

-- runs returns a function that takes an amount with these arguments before it.
local function runs(s, ...)
  local args = {...}
  return function(n)
    args[#args + 1] = n
    local reply = s:run({'k'}, args)
    args[#args] = nil
    return reply
  end
end

describe('fixed', function()
  local take = runs(fixed, 3, MINUTE)

  it('counts in windows', function()
    assert.are.same({'allowed', 2, 0, MINUTE}, take(1))
    assert.are.same({'allowed', 0, 0, MINUTE}, take(2))
    assert.are.same({'limited', 0, MINUTE, MINUTE}, take(1))
    assert.keyspace{k = ttl('61.001s', '1704067200000000 3')}
    clock.advance('59s')
    assert.are.same({'limited', 0, SECOND, SECOND}, take(1))
    clock.advance('1s')
    assert.are.same({'allowed', 2, 0, MINUTE}, take(1))
  end)

  it('looks without taking', function()
    assert.are.same({'allowed', 3, 0, 0}, take(-1))
    assert.keyspace{}
    take(3)
    diff()
    assert.are.same({'limited', 0, MINUTE, MINUTE}, take(-1))
    assert.are.same({}, diff())
  end)

  it('refuses more than is left', function()
    take(2)
    assert.are.same({'limited', 1, MINUTE, MINUTE}, take(2))
    assert.are.same({'allowed', 0, 0, MINUTE}, take(1))
  end)

  it('continues a window if the clock is set back a little', function()
    clock.set(START + 60)
    take(3)
    clock.set(START + 30)
    assert.are.same({'limited', 0, 90 * SECOND, 90 * SECOND}, take(1))
  end)

  it('moves the window if the clock is set back far', function()
    clock.set(START + 600)
    take(2)
    clock.set(START)
    assert.are.same({'limited', 1, MINUTE, MINUTE}, take(2))
    assert.are.equal('1704067200000000 2', redis.call('GET', 'k'))
  end)
end)

describe('counter', function()
  local take = runs(counter, 10, MINUTE)

  it('counts a part of the window before', function()
    assert.are.same({'allowed', 0, 0, 2 * MINUTE}, take(10))
    clock.set(START + 60)
    assert.are.same({'limited', 0, 6 * SECOND, MINUTE}, take(1))
    clock.set(START + 66)
    assert.are.same({'allowed', 0, 0, 2 * MINUTE - 6 * SECOND}, take(1))
    clock.set(START + 90)
    assert.are.same({'allowed', 3, 0, 90 * SECOND}, take(1))
  end)

  it('forgets what is older', function()
    take(10)
    clock.set(START + 120)
    assert.are.same({'allowed', 10, 0, 0}, take(-1))
    assert.are.same({'allowed', 9, 0, 2 * MINUTE}, take(1))
  end)

  it('looks without taking', function()
    assert.are.same({'allowed', 10, 0, 0}, take(-1))
    assert.keyspace{}
    take(4)
    assert.are.same({'allowed', 6, 0, 2 * MINUTE}, take(-6))
    assert.are.equal('1704067200000000 0 4', redis.call('GET', 'k'))
  end)

  it('says when enough is left', function()
    take(10)
    assert.are.same(
      {'limited', 0, 66 * SECOND, 2 * MINUTE},
      take(1),
      'when the next window has run for a while'
    )
    assert.are.same({'limited', 0, 120 * SECOND, 2 * MINUTE}, take(10))
  end)

  it('says so if the amount is more than what this window leaves', function()
    take(4)
    assert.are.same(
      {'limited', 6, 75 * SECOND, 2 * MINUTE},
      take(7),
      'in the next window, when a quarter of the 4 has gone'
    )
  end)

  it('counts everything in this window if the clock is set back', function()
    clock.set(START + 600)
    take(4)
    clock.set(START + 660)
    take(3)
    clock.set(START)
    assert.are.same({'allowed', 3, 0, 2 * MINUTE}, take(-1))
    assert.are.equal('1704067200000000 0 7', redis.call('GET', 'k'))
    clock.set(START + 600)
    redis.call('SET', 'k', '1704067800000000 9 9')
    clock.set(START)
    assert.are.same({'limited', 0, 66 * SECOND, 2 * MINUTE}, take(1), 'never more than the limit')
  end)

  it('shows when a window before is over', function()
    take(5)
    clock.set(START + 75)
    assert.are.same({'allowed', 6, 0, 45 * SECOND}, take(-1))
  end)
end)

describe('bucket', function()
  -- 10 tokens that are refilled in 10 s: 1 unit per us, a token is a million units.
  local take = runs(bucket, 1, 1000000, 10)

  it('is refilled evenly', function()
    assert.are.same({'allowed', 0, 0, 10 * SECOND}, take(10))
    assert.are.same({'limited', 0, SECOND, 10 * SECOND}, take(1))
    clock.advance('2500ms')
    assert.are.same({'allowed', 1, 0, 8500000}, take(1))
    assert.keyspace{k = ttl('9.501s', '1500000 1704067202500000')}
    clock.advance('1m')
    assert.are.same({'allowed', 9, 0, SECOND}, take(1), 'it holds no more than 10')
  end)

  it('is full before its state is forgotten', function()
    take(1)
    clock.advance('1500ms')
    assert.are.same({'allowed', 9, 0, SECOND}, take(1))
  end)

  it('looks without taking', function()
    assert.are.same({'allowed', 10, 0, 0}, take(-1))
    assert.keyspace{}
    take(10)
    diff()
    assert.are.same({'limited', 0, 2 * SECOND, 10 * SECOND}, take(-2))
    assert.are.same({}, diff())
  end)

  it('holds less after the limit was lowered', function()
    take(1)
    assert.are.same({'allowed', 4, 0, SECOND}, runs(bucket, 1, 1000000, 5)(1))
  end)

  it('waits for the clock if it is set back a little', function()
    clock.set(START + 5)
    take(10)
    clock.set(START)
    assert.are.same({'limited', 0, 6 * SECOND, 15 * SECOND}, take(1))
    assert.are.equal('0 1704067205000000', redis.call('GET', 'k'))
  end)

  it('begins again if the clock is set back far', function()
    clock.set(START + 600)
    take(10)
    clock.set(START)
    assert.are.same({'limited', 0, SECOND, 10 * SECOND}, take(1))
    assert.are.equal('0 1704067200000000', redis.call('GET', 'k'))
  end)

  it('is the same after no time', function()
    take(1)
    assert.are.same({'allowed', 8, 0, 2 * SECOND}, take(1))
  end)
end)

describe('gcra', function()
  -- 1 call per second, 3 at a time.
  local take = runs(gcra, 1, SECOND, 3)

  it('spreads calls', function()
    assert.are.same({'allowed', 2, 0, SECOND}, take(1))
    assert.are.same({'allowed', 0, 0, 3 * SECOND}, take(2))
    assert.are.same({'limited', 0, SECOND, 3 * SECOND}, take(1))
    assert.keyspace{k = ttl('4.001s', '1704067203000000 0')}
    clock.advance('1s')
    assert.are.same({'allowed', 0, 0, 3 * SECOND}, take(1))
    clock.advance('1m')
    assert.are.same({'allowed', 2, 0, SECOND}, take(1))
  end)

  it('has everything left before its state is forgotten', function()
    take(1)
    clock.advance('1500ms')
    assert.are.same({'allowed', 2, 0, SECOND}, take(1))
  end)

  it('looks without taking', function()
    assert.are.same({'allowed', 3, 0, 0}, take(-1))
    assert.keyspace{}
    take(3)
    diff()
    assert.are.same({'limited', 0, 2 * SECOND, 3 * SECOND}, take(-2))
    assert.are.same({}, diff())
  end)

  it('counts parts of a microsecond', function()
    local thirds = runs(gcra, 3, SECOND, 3) -- 3 calls per second
    assert.are.same({'allowed', 2, 0, 333334}, thirds(1))
    assert.are.equal('1704067200333333 1', redis.call('GET', 'k'))
    assert.are.same({'allowed', 1, 0, 666667}, thirds(1))
    assert.are.equal('1704067200666666 2', redis.call('GET', 'k'))
  end)

  it('allows nothing more if the clock is set back far', function()
    clock.set(START + 600)
    take(1)
    clock.set(START)
    assert.are.same({'limited', 0, SECOND, 3 * SECOND}, take(1))
    assert.are.equal('1704067203000000 0', redis.call('GET', 'k'))
  end)

  it('may be further ahead than the burst', function()
    clock.set(START + 2)
    take(3)
    clock.set(START)
    assert.are.same({'limited', 0, 3 * SECOND, 5 * SECOND}, take(1))
  end)
end)

describe('log', function()
  local take = runs(log, 3, MINUTE)
  -- entries returns the log as lists of second, amount and sum.
  local function entries()
    local list = {}
    for i, e in ipairs(redis.call('LRANGE', 'k', 0, -1)) do
      local time, amount, sum = struct.unpack('<ddd', e)
      list[i] = {time / SECOND - START, amount, sum}
    end
    return list
  end

  it('never allows more than the limit in any period', function()
    assert.are.same({'allowed', 2, 0, MINUTE}, take(1))
    clock.advance('20s')
    assert.are.same({'allowed', 0, 0, MINUTE}, take(2))
    assert.are.same({{0, 1, 1}, {20, 2, 3}}, entries())
    assert.are.equal(61000, redis.call('PTTL', 'k'))
    assert.are.same({'limited', 0, 40 * SECOND, MINUTE}, take(1))
    assert.are.same({'limited', 0, 60 * SECOND, MINUTE}, take(2))
    clock.advance('40s')
    assert.are.same({'allowed', 0, 0, MINUTE}, take(1))
    assert.are.same({{20, 2, 3}, {60, 1, 4}}, entries())
  end)

  it('begins again when every entry has gone', function()
    take(1)
    take(1)
    clock.advance('60s')
    assert.are.same({'allowed', 1, 0, MINUTE}, take(2))
    assert.are.same({{60, 2, 2}}, entries())
    clock.advance('60s')
    assert.are.same({'allowed', 2, 0, MINUTE}, take(1), 'also when there was one entry')
    assert.are.same({{120, 1, 1}}, entries())
  end)

  it('looks without taking', function()
    assert.are.same({'allowed', 3, 0, 0}, take(-1))
    take(1)
    clock.advance('10s')
    diff()
    assert.are.same({'allowed', 2, 0, 50 * SECOND}, take(-2))
    assert.are.same({'limited', 2, 50 * SECOND, 50 * SECOND}, take(-3))
    assert.are.same({}, diff())
    clock.advance('50s')
    assert.are.same({'allowed', 3, 0, 0}, take(-1))
    assert.keyspace{}
  end)

  it('removes many entries that have gone', function()
    local many = runs(log, 1000, MINUTE)
    for _ = 1, 300 do
      many(1)
    end
    clock.advance('30s')
    many(1)
    clock.advance('30s')
    assert.are.same({'allowed', 998, 0, MINUTE}, many(1))
    assert.are.equal(2, redis.call('LLEN', 'k'))
    assert.are.equal(3, #calls('LTRIM'))
  end)

  it('finds among many entries when enough will be left', function()
    local many = runs(log, 300, MINUTE)
    for _ = 1, 300 do
      many(1)
      clock.advance('1ms')
    end
    assert.are.same({'limited', 0, MINUTE - 300000 + 199000, MINUTE - 1000}, many(200))
  end)

  it('refuses an amount above the limit', function()
    assert.has_error(function() take(4) end, 'ERR the amount is above the limit')
    take(1)
    assert.has_error(function() take(4) end, 'ERR the amount is above the limit')
  end)

  it('moves all entries if the clock is set back far', function()
    clock.set(START + 600)
    take(1)
    clock.set(START + 630)
    take(1)
    clock.set(START)
    assert.are.same({'limited', 1, 30 * SECOND, MINUTE}, take(2))
    assert.are.same({{-30, 1, 1}, {0, 1, 2}}, entries())
    assert.are.equal(61000, redis.call('PTTL', 'k'))
  end)

  it('counts on if the clock is set back a little', function()
    clock.set(START + 30)
    take(1)
    clock.set(START)
    assert.are.same({'allowed', 1, 0, 90 * SECOND}, take(1))
    assert.are.same({{30, 1, 1}, {30, 1, 2}}, entries())
  end)

  it('fails on what is not its own', function()
    fixture{k = {'x'}}
    assert.has_error(function() take(1) end)
  end)
end)

describe('reset', function()
  it('forgets what was taken', function()
    runs(fixed, 1, MINUTE)(1)
    assert.are.same({'ok', 1}, reset:run{'k'})
    assert.are.same({'ok', 0}, reset:run{'k'})
    assert.keyspace{}
  end)
end)

-- Tests of the scripts of a lock.
local acquire, release, renew, status = script('acquire.lua'),
  script('release.lua'),
  script('renew.lua'),
  script('status.lua')
local KEYS = {'lock:{l}', 'lock:{l}:state', 'lock:{l}:queue', 'lock:{l}:deadlines'}
local START = 1704067200000000 -- the time of the clock in microseconds; the first token

-- take acquires the lock for a lease. It does not queue unless it has a time to wait.
local function take(lease, owner, wait, ttl)
  return acquire:run(KEYS, {lease, owner or lease, ttl or 1000, wait or 0})
end
local function give(lease, owner) return release:run(KEYS, {lease, owner or lease}) end
local function state() return status:run({KEYS[1], KEYS[2], KEYS[3]}) end

describe('acquire', function()
  it('takes a free lock', function()
    assert.are.same({'acquired', START, 1}, take('a'))
    assert.keyspace{
      [KEYS[1]] = ttl('1s', {owner = 'a', token = START, ['lease:a'] = 1}),
      [KEYS[2]] = {token = START},
    }
  end)

  it('refuses a lock that is held', function()
    take('a')
    clock.advance('400ms')
    diff()
    assert.are.same({'refused', 600, 0}, take('b'))
    assert.are.same({}, diff())
  end)

  it('takes a lock whose time has passed', function()
    take('a')
    clock.advance('1001ms')
    assert.are.same({'acquired', START + 1001000, 1}, take('b'))
  end)

  it('gives a repeated call the same lock', function()
    take('a', 'ann')
    clock.advance('1ms')
    assert.are.same({'acquired', START, 1}, take('a', 'ann'))
    assert.are.equal(1000, redis.call('PTTL', KEYS[1]))
  end)

  it('gives an owner further leases', function()
    take('a', 'ann', 0, 5000)
    assert.are.same({'reentered', START, 2}, take('b', 'ann', 0, 1000))
    assert.are.equal(5000, redis.call('PTTL', KEYS[1]), 'a shorter lease does not shorten the lock')
    assert.are.same({'reentered', START, 3}, take('c', 'ann', 0, 9000))
    assert.are.equal(9000, redis.call('PTTL', KEYS[1]))
  end)

  it('never gives a token twice', function()
    take('a')
    give('a')
    assert.are.same({'acquired', START + 1, 1}, take('b'))
    give('b')
    clock.set('2023-01-01')
    assert.are.same({'acquired', START + 2, 1}, take('c'), 'the clock was set back')
  end)

  it('has a token without a state', function()
    take('a')
    redis.call('DEL', KEYS[1], KEYS[2])
    clock.advance('1us')
    assert.are.same({'acquired', START + 1, 1}, take('b'))
  end)
end)

describe('the queue', function()
  before_each(function() take('a', 'a', 0, 60000) end)

  it('keeps waiters in the order in which they came', function()
    assert.are.same({'queued', 60000, 0}, take('b', 'b', 2000))
    assert.are.same({'queued', 60000, 1}, take('c', 'c', 3000))
    assert.are.same({'refused', 60000, 2}, take('d'))
    assert.are.same({'queued', 60000, 0}, take('b', 'b', 2000), 'asking again keeps the place')
    assert.keyspace{
      [KEYS[1]] = ttl('60s', {owner = 'a', token = START, ['lease:a'] = 1}),
      [KEYS[2]] = {token = START},
      [KEYS[3]] = ttl('3s', zset{b = 1, c = 2}),
      [KEYS[4]] = ttl('3s', {b = START + 2000000, c = START + 3000000}),
    }
  end)

  it('is served in order', function()
    take('b', 'b', 5000)
    take('c', 'c', 5000)
    assert.are.same({'released', 'b'}, give('a'))
    assert.are.same({'queued', 0, 1}, take('c', 'c', 5000), 'it is not the turn of c')
    assert.are.same({'refused', 0, 2}, take('d'))
    assert.are.same({'acquired', START + 1, 1}, take('b', 'b', 5000))
    assert.are.same({'c'}, redis.call('ZRANGE', KEYS[3], 0, -1))
    assert.are.same({'c'}, redis.call('HKEYS', KEYS[4]))
  end)

  it('leaves out waiters that do not ask any more', function()
    take('b', 'b', 1000)
    take('c', 'c', 1000)
    take('d', 'd', 5000)
    give('a')
    redis.call('HDEL', KEYS[4], 'b') -- a waiter without a deadline has lost its turn too
    clock.advance('1001ms')
    assert.are.same({'acquired', START + 1001000, 1}, take('d', 'd', 5000))
    assert.are.equal(0, redis.call('EXISTS', KEYS[3], KEYS[4]))
  end)

  it('is left by an owner who gets the lock in another way', function()
    take('b', 'b', 5000)
    take('a2', 'a', 5000)
    assert.are.same({'b'}, redis.call('ZRANGE', KEYS[3], 0, -1))
    redis.call('ZADD', KEYS[3], 5, 'a3')
    redis.call('HSET', KEYS[4], 'a3', START)
    assert.are.same({'reentered', START, 3}, take('a3', 'a', 5000))
    assert.are.same({'b'}, redis.call('ZRANGE', KEYS[3], 0, -1))
    assert.are.same({'b'}, redis.call('HKEYS', KEYS[4]))
  end)

  it('is gone when no waiter asks any more', function()
    take('b', 'b', 1000)
    give('a')
    clock.advance('1001ms')
    assert.are.equal('acquired', take('z')[1])
  end)
end)

describe('release', function()
  it('frees the lock', function()
    take('a')
    assert.are.same({'released', ''}, give('a'))
    assert.keyspace{[KEYS[2]] = {token = START, released = 'a'}}
  end)

  it('may be repeated', function()
    take('a')
    give('a')
    assert.are.same({'released', ''}, give('a'))
    take('b')
    assert.are.same({'released', ''}, give('a'), 'b still holds it')
    assert.are.equal('held', state()[1])
    give('b')
    assert.are.same({'not held', ''}, give('a'), 'another lease was released since')
  end)

  it('keeps the lock while the owner has other leases', function()
    take('a', 'ann')
    take('b', 'ann')
    assert.are.equal('still held', give('a', 'ann'))
    assert.are.equal('still held', give('a', 'ann'))
    assert.are.same({'released', ''}, give('b', 'ann'))
  end)

  it('leaves the queue', function()
    take('a')
    take('b', 'b', 5000)
    take('c', 'c', 5000)
    assert.are.same({'not held', 'c'}, give('b'))
    assert.are.same({'c'}, redis.call('HKEYS', KEYS[4]))
    assert.are.equal('held', state()[1])
  end)

  it('does not touch what it does not hold', function()
    take('a')
    diff()
    assert.are.same({'not held', ''}, give('z'))
    assert.are.same({}, diff())
  end)
end)

describe('renew', function()
  local function again(lease, ttl) return renew:run({KEYS[1]}, {lease, ttl}) end
  it('makes the lock live longer', function()
    take('a')
    assert.are.equal('renewed', again('a', 5000))
    assert.are.equal(5000, redis.call('PTTL', KEYS[1]))
  end)
  it('never makes it live shorter', function()
    take('a', 'a', 0, 5000)
    assert.are.equal('renewed', again('a', 1000))
    assert.are.equal(5000, redis.call('PTTL', KEYS[1]))
  end)
  it('refuses a lease that has ended', function()
    assert.are.equal('not held', again('a', 1000))
    take('b')
    assert.are.equal('not held', again('a', 1000))
  end)
end)

describe('status', function()
  it('describes a lock', function()
    assert.are.same({'free', 0, 0}, state())
    take('a', 'ann')
    take('a2', 'ann')
    take('b', 'b', 5000)
    assert.are.same({'held', START, 1, 'ann', 2, 1000}, state())
    give('a', 'ann')
    give('a2', 'ann')
    assert.are.same({'free', START, 1}, state())
  end)
end)

describe('write', function()
  local write = script('write.lua')
  it('refuses tokens that came too late', function()
    assert.are.equal('written', write:run({'register'}, {5, 'a'}))
    assert.are.equal('written', write:run({'register'}, {5, 'b'}))
    assert.are.equal('stale', write:run({'register'}, {4, 'c'}))
    assert.keyspace{register = {token = 5, value = 'b'}}
    assert.are.equal('written', write:run({'register'}, {6, 'd'}))
    assert.keyspace{register = {token = 6, value = 'd'}}
  end)
end)

describe('a failure', function()
  it('of the state key leaves the lock free', function()
    redis.call('SET', KEYS[2], 'x')
    assert.are.equal('WRONGTYPE', acquire:prun(KEYS, {'a', 'a', 1000, 0}).code)
    assert.are.equal(0, redis.call('EXISTS', KEYS[1]))
  end)
end)

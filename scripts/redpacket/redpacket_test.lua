-- Tests of the scripts of red packets.
local open, grab, expire = script('open.lua'), script('grab.lua'), script('expire.lua')
local peek, status = script('state.lua', 'peek.lua'), script('state.lua', 'status.lua')
local GRABBED, PACKETS, RECORDS, ACTIVITY, SETTLEMENT = '{a}:grabbed',
  '{a}:packets',
  '{a}:records',
  '{a}',
  '{a}:settlement'
local KEYS = {GRABBED, PACKETS, RECORDS, ACTIVITY, SETTLEMENT}
local START = 1704067200000 -- the time of the clock in milliseconds

-- Three packets of 5, 3 and 2 cents; each begins with the cents in it and behind it.
local ALL = {'10 5 p1', '5 3 p2', '2 2 p3'}

-- load opens an activity. life is ms until it expires, keep is ms for which it is kept then.
local function load(life, keep, packets, from, digest)
  local args = {digest or 'd', 3, 10, life or 0, 'bob', keep or 0, from or 0}
  for _, packet in ipairs(packets or ALL) do
    args[#args + 1] = packet
  end
  return open:run(KEYS, args)
end
local function take(user) return grab:run(KEYS, {user}) end
local function close(id) return expire:run(KEYS, {id or 'r1'}) end
local function see(user) return peek:run(KEYS, {user or 'ann'}) end
local function describe_activity(first, count)
  return status:run(KEYS, {first or 0, count or 10})
end

describe('open', function()
  it('opens an activity', function()
    assert.are.equal('open', load())
    assert.keyspace{
      [PACKETS] = ALL,
      [ACTIVITY] = {
        digest = 'd',
        packets = 3,
        total = 10,
        sender = 'bob',
        keep = 0,
        loaded = 3,
        ['until'] = 'never',
      },
    }
  end)

  it('gives it a deadline', function()
    clock.advance('1500us') -- part of a millisecond counts for nothing
    load(60000)
    assert.are.equal(
      tostring(START + 60001),
      redis.call('HGET', ACTIVITY, 'until'):gsub('%.0$', '')
    )
  end)

  it('loads it in parts', function()
    assert.are.same({'loaded', 2}, load(0, 0, {ALL[1], ALL[2]}, 0))
    assert.is_false(redis.call('HGET', ACTIVITY, 'until'))
    diff()
    assert.are.same({'loaded', 2}, load(0, 0, {ALL[1], ALL[2]}, 0), 'a part is loaded once')
    assert.are.same({'loaded', 2}, load(0, 0, {ALL[3], 'x', 'y'}, 2), 'there are only three')
    assert.are.same({}, diff())
    assert.are.equal('open', load(0, 0, {ALL[3]}, 2))
    assert.are.same(ALL, redis.call('LRANGE', PACKETS, 0, -1))
  end)

  it('may be repeated', function()
    load()
    take('ann')
    diff()
    assert.are.equal('open', load())
    assert.are.same({}, diff())
    close()
    assert.are.equal('expired', load())
  end)

  it('refuses another activity of that name', function()
    load()
    assert.are.equal('exists', load(0, 0, ALL, 0, 'other'))
  end)

  it('refuses keys that exist', function()
    fixture{[RECORDS] = {'x'}}
    assert.are.equal('exists', load())
  end)

  it('writes nothing if the stream is something else', function()
    fixture{[SETTLEMENT] = 'x'}
    assert.has_error(load)
    assert.keyspace{[SETTLEMENT] = 'x'}
  end)
end)

describe('grab', function()
  it('takes the packets in order', function()
    load()
    assert.are.same({'grabbed', ALL[1]}, take('ann'))
    assert.are.same({'grabbed', ALL[2]}, take('bob "b"'))
    local record = '{"id":"p2","amount":3,"user":"bob \\"b\\""}'
    assert.are.same(
      {'{"id":"p1","amount":5,"user":"ann"}', record},
      redis.call('LRANGE', RECORDS, 0, -1)
    )
    assert.are.same({ALL[3]}, redis.call('LRANGE', PACKETS, 0, -1))
    assert.are.same({ann = ALL[1], ['bob "b"'] = ALL[2]}, keyspace()[GRABBED])
    assert.are.same(
      {'id', 'p2', 'payload', record},
      redis.call('XREVRANGE', SETTLEMENT, '+', '-')[1][2]
    )
  end)

  it('gives a user one packet', function()
    load()
    take('ann')
    diff()
    assert.are.same({'already grabbed', ALL[1]}, take('ann'))
    assert.are.same({}, diff())
    close()
    assert.are.same({'already grabbed', ALL[1]}, take('ann'), 'also when the activity is over')
  end)

  it('ends with the packets', function()
    load()
    for _, user in ipairs{'a', 'b', 'c'} do
      take(user)
    end
    assert.are.equal('empty', take('d'))
    assert.are.equal(3, redis.call('XLEN', SETTLEMENT))
  end)

  it('needs an open activity', function()
    assert.are.equal('not open', take('ann'))
    load(0, 0, {ALL[1]}, 0)
    assert.are.equal('not open', take('ann'))
  end)

  it('ends at the deadline', function()
    load(1000)
    clock.advance('999ms')
    assert.are.equal('grabbed', take('ann')[1])
    clock.advance('1ms')
    assert.are.equal('expired', take('bob'))
    close()
    assert.are.equal('expired', take('bob'))
  end)

  it('takes nothing if the records cannot be written', function()
    load()
    fixture{[RECORDS] = 'x'}
    diff()
    assert.are.equal('WRONGTYPE', grab:prun(KEYS, {'ann'}).code)
    assert.are.equal(0, redis.call('XLEN', SETTLEMENT))
    assert.are.same({[SETTLEMENT] = {after = stream{}}}, diff())
  end)

  it('takes nothing if the stream cannot be written', function()
    load()
    fail_next('XADD', 'OOM command not allowed')
    diff()
    assert.are.equal('OOM', grab:prun(KEYS, {'ann'}).code)
    assert.are.same({}, diff())
  end)
end)

describe('expire', function()
  it('gives back what is left', function()
    load(1000)
    take('ann')
    clock.advance('1s')
    assert.are.same({'expired', 2, '5', 'bob'}, close())
    assert.are.same({'id', 'r1', 'payload', '{"id":"r1","amount":5,"user":"bob","refund":true}'},
      redis.call('XREVRANGE', SETTLEMENT, '+', '-')[1][2])
    assert.are.equal(0, redis.call('EXISTS', PACKETS))
    assert.are.same(
      {'closed', '2', '5'},
      redis.call('HMGET', ACTIVITY, 'until', 'left', 'refunded')
    )
  end)

  it('may be repeated', function()
    load()
    close()
    diff()
    assert.are.same({'already expired', '3', '10', 'bob'}, close('r2'))
    assert.are.same({}, diff())
  end)

  it('closes an activity without a deadline', function()
    load()
    assert.are.same({'expired', 3, '10', 'bob'}, close())
  end)

  it('closes an activity that is not loaded', function()
    load(0, 0, {ALL[1]}, 0)
    assert.are.same({'expired', 3, '10', 'bob'}, close())
    assert.are.equal(0, redis.call('EXISTS', PACKETS))
  end)

  it('refunds nothing if nothing is left', function()
    load()
    for _, user in ipairs{'a', 'b', 'c'} do
      take(user)
    end
    assert.are.same({'expired', 0, '0', 'bob'}, close())
    assert.are.equal(3, redis.call('XLEN', SETTLEMENT))
  end)

  it('waits for the deadline', function()
    load(1000)
    clock.advance('999ms')
    assert.are.equal('not due', close())
    assert.are.equal('grabbed', take('ann')[1])
  end)

  it('needs an activity', function() assert.are.equal('not open', close()) end)

  it('keeps the activity for some time', function()
    load(0, 5000)
    take('ann')
    close()
    for _, key in ipairs{GRABBED, RECORDS, ACTIVITY} do
      assert.are.equal(5000, redis.call('PTTL', key))
    end
    clock.advance('5001ms')
    assert.are.equal(0, redis.call('EXISTS', GRABBED, RECORDS, ACTIVITY))
  end)

  it('keeps it for ever', function()
    load()
    close()
    assert.are.equal(-1, redis.call('PTTL', ACTIVITY))
  end)

  it('writes nothing if the packets are something else', function()
    load(0, 0, {ALL[1]}, 0)
    fixture{[PACKETS] = 'x'}
    diff()
    assert.has_error(close)
    assert.are.same({}, diff())
  end)
end)

describe('peek', function()
  it('shows the state of an activity', function()
    assert.are.same({'absent', 0, false}, see())
    load(0, 0, {ALL[1]}, 0)
    assert.are.same({'loading', 1, false}, see())
  end)
  it('shows what a user has', function()
    load()
    take('ann')
    assert.are.same({'open', 2, ALL[1]}, see('ann'))
    assert.are.same({'open', 2, false}, see('bob'))
  end)
  it('shows the deadline', function()
    load(1000)
    assert.are.equal('open', see()[1])
    clock.advance('1s')
    assert.are.equal('due', see()[1])
    close()
    assert.are.same({'closed', 0, false}, see())
  end)
end)

describe('status', function()
  it('of nothing', function()
    assert.are.same({'absent', 0, 0, 0, 0, 0, '0', '0', '0', 0, {}}, describe_activity())
  end)
  it('of an activity that is loaded', function()
    load(0, 0, {ALL[1]}, 0)
    assert.are.same({'loading', 0, 3, 1, 0, 0, '10', '0', '0', 0, {}}, describe_activity())
  end)
  it('of an open one', function()
    load(1000)
    take('ann')
    take('bob')
    local records = {'{"id":"p1","amount":5,"user":"ann"}', '{"id":"p2","amount":3,"user":"bob"}'}
    assert.are.same(
      {'open', START + 1000, 3, 1, 2, 2, '10', '8', '0', 0, records},
      describe_activity()
    )
    assert.are.same({records[2]}, describe_activity(1, 1)[11])
    assert.are.same({}, describe_activity(0, 0)[11])
    clock.advance('1s')
    assert.are.same(
      {'due', START + 1000, 3, 1, 2, 2, '10', '8', '0', 0, records},
      describe_activity()
    )
    close()
    assert.are.same({'closed', 0, 3, 0, 2, 2, '10', '8', '2', 1, records}, describe_activity())
  end)
  it('of one of which everything is taken', function()
    load()
    for _, user in ipairs{'a', 'b', 'c'} do
      take(user)
    end
    assert.are.same({'open', 0, 3, 0, 3, 3, '10', '10', '0', 0, {}}, describe_activity(0, 0))
  end)
end)

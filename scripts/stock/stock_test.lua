-- Tests of the scripts of flash sales.
local function with_common(name) return script('common.lua', name .. '.lua') end
local define, phase, supply, units = with_common('define'),
  with_common('phase'),
  with_common('supply'),
  with_common('units')
local reserve = script('fast.lua', 'common.lua', 'reserve.lua')
local confirm, release, find = with_common('confirm'), with_common('release'), with_common('find')
local holder, sweep, status = with_common('holder'), with_common('sweep'), with_common('status')

local ITEMS, ORDERS, DUE, USERS, UNITS, STREAM = '{s}:items',
  '{s}:orders',
  '{s}:due',
  '{s}:users',
  '{s}:units',
  '{s}:ready'
local KEYS = {ITEMS, ORDERS, DUE, USERS, UNITS}
local NOW = 1704067200000000 -- the time of the clock in microseconds
local MINUTE = 60000000
local KEEP = 600 * 1000000 -- how long an order is remembered

-- run runs a script with the time for which orders are remembered before its other arguments.
local function run(s, ...) return s:run(KEYS, {KEEP, ...}) end
local function order(token, user, ...)
  return reserve:run(KEYS, {KEEP, MINUTE, token, user, ...})
end
local function audit() return run(status, 'audit') end
local function items()
  local all, list = {}, run(status, 'status')[3]
  for i = 1, #list, 2 do
    all[list[i]] = list[i + 1]
  end
  return all
end

-- opened opens a sale with 10 pens, of which a user may have 3, and the tickets A, B and C.
local function opened()
  run(define, 'pen', 'counter', 3, 'ticket', 'units', 0)
  run(supply, 's1', 'pen', 10, 1000)
  run(units, 'ticket', 'A', 'B', 'C')
  run(phase, 'open')
end

-- consistent checks what an audit returns: nothing is due before scripts look for it, and units are
-- numbered as a queue.
local function consistent()
  local a = audit()
  assert.are.equal(0, a[8], 'an order is due before the time at which scripts look for it')
  assert.are.same({}, a[9], 'units are not numbered as a queue')
end

describe('define', function()
  it('adds items', function()
    assert.are.equal('ok', run(define, 'pen', 'counter', 3, 'ticket', 'units', 0))
    assert.are.same({pen = {0, 3, 0, 0}, ticket = {0, 0, 0, 0, 0}}, items())
  end)
  it('changes quotas', function()
    opened()
    assert.are.equal('ok', run(define, 'pen', 'counter', 5))
    assert.are.same({10, 5, 0, 10}, items().pen)
  end)
  it('keeps strategies', function()
    opened()
    diff()
    assert.are.same(
      {'strategy', 'ticket'},
      run(define, 'pen', 'counter', 5, 'ticket', 'counter', 0)
    )
    assert.are.same({'strategy', 'pen'}, run(define, 'pen', 'units', 5))
    assert.are.same({}, diff())
  end)
end)

describe('supply', function()
  before_each(opened)
  it('adds to a counter', function()
    assert.are.equal('ok', run(supply, 's2', 'pen', 5, 1000))
    assert.are.same({15, 3, 0, 15}, items().pen)
  end)
  it('may be repeated', function()
    diff()
    assert.are.equal('ok', run(supply, 's1', 'pen', 10, 1000))
    assert.are.same({}, diff())
    assert.are.equal('token reused', run(supply, 's1', 'pen', 11, 1000))
    assert.are.equal('token reused', run(supply, 's1', 'ticket', 10, 1000))
    order('t1', 'ann', 'pen', 1)
    assert.are.equal('token reused', run(supply, 't1', 'pen', 1, 1000))
  end)
  it('refuses', function()
    assert.are.same({'unknown item', 'cup'}, run(supply, 's2', 'cup', 1, 1000))
    assert.are.same({'strategy', 'ticket'}, run(supply, 's2', 'ticket', 1, 1000))
    assert.are.same({'too much', 'pen'}, run(supply, 's2', 'pen', 991, 1000))
    assert.are.equal('ok', run(supply, 's2', 'pen', 990, 1000))
  end)
  it('is no order', function()
    assert.are.equal('unknown order', run(find, 's1'))
    assert.are.equal('unknown order', run(confirm, 's1'))
    assert.are.equal('unknown order', run(release, 's1'))
  end)
  it('is remembered for ever', function()
    assert.are.equal('ok', supply:run(KEYS, {'ever', 's9', 'pen', 1, 1000}))
    assert.are.equal('inf', redis.call('ZSCORE', DUE, 's9'))
    clock.advance('10000h')
    assert.are.equal('ok', supply:run(KEYS, {'ever', 's9', 'pen', 1, 1000}))
    assert.are.same({11, 3, 0, 11}, items().pen)
  end)
end)

describe('units', function()
  before_each(opened)
  it('adds units once', function()
    assert.are.same({'ok', 1}, run(units, 'ticket', 'B', 'D'))
    assert.are.same({4, 0, 0, 4, 0}, items().ticket)
    consistent()
  end)
  it('refuses', function()
    assert.are.same({'unknown item', 'cup'}, run(units, 'cup', 'A'))
    assert.are.same({'strategy', 'pen'}, run(units, 'pen', 'A'))
  end)
end)

describe('reserve', function()
  before_each(opened)

  it('takes from a counter', function()
    assert.are.same({'reserved', NOW + MINUTE}, order('t1', 'ann', 'pen', 2))
    assert.are.same({8, 3, 0, 10}, items().pen)
    assert.are.equal('2', redis.call('HGET', USERS, 'pen\255ann'))
    assert.are.same({'ok', {'reserved', NOW + MINUTE, 'ann', 'pen', 2, false}}, run(find, 't1'))
    consistent()
  end)

  it('takes one unit', function()
    assert.are.same({'reserved', NOW + MINUTE, 'A'}, order('t1', 'ann', 'ticket', 1))
    assert.are.same({'reserved', NOW + MINUTE, 'B'}, order('t2', 'ann', 'ticket', 1))
    assert.are.same({1, 0, 0, 3, 2}, items().ticket)
    assert.are.same({'ok', 't1'}, run(holder, 'ticket', 'A'))
    consistent()
  end)

  it('takes several units', function()
    assert.are.same(
      {'ok', {'reserved', NOW + MINUTE, 'ann', 'ticket', 2, {'A', 'B'}}},
      order('t1', 'ann', 'ticket', 2)
    )
    assert.are.same({1, 0, 0, 3, 2}, items().ticket)
    consistent()
  end)

  it('takes several items, or none', function()
    assert.are.same({
        'ok',
        {'reserved', NOW + MINUTE, 'ann', 'pen', 1, false, 'ticket', 2, {'A', 'B'}},
      },
      order('t1', 'ann', 'pen', 1, 'ticket', 2))
    diff()
    assert.are.same({'sold out', 'ticket'}, order('t2', 'bob', 'pen', 1, 'ticket', 2))
    assert.are.same({}, diff())
    assert.are.same({'unknown item', 'cup'}, order('t3', 'bob', 'pen', 1, 'cup', 1))
    assert.are.same({}, diff())
  end)

  it('takes several counters', function()
    run(define, 'cup', 'counter', 0)
    run(supply, 's2', 'cup', 5, 1000)
    assert.are.same({'reserved', NOW + MINUTE}, order('t1', 'ann', 'pen', 1, 'cup', 5))
    assert.are.same({'sold out', 'cup'}, order('t2', 'ann', 'pen', 1, 'cup', 1))
    consistent()
  end)

  it('may be repeated', function()
    order('t1', 'ann', 'pen', 2)
    order('t2', 'ann', 'pen', 1, 'ticket', 1)
    diff()
    assert.are.same(
      {'ok', {'reserved', NOW + MINUTE, 'ann', 'pen', 2, false}},
      order('t1', 'ann', 'pen', 2)
    )
    assert.are.same({'ok', {'reserved', NOW + MINUTE, 'ann', 'pen', 1, false, 'ticket', 1, {'A'}}},
      order('t2', 'ann', 'pen', 1, 'ticket', 1))
    assert.are.equal('token reused', order('t1', 'bob', 'pen', 2))
    assert.are.equal('token reused', order('t1', 'ann', 'pen', 1))
    assert.are.equal('token reused', order('t1', 'ann', 'ticket', 2))
    assert.are.equal('token reused', order('t1', 'ann', 'pen', 2, 'ticket', 1))
    assert.are.equal('token reused', order('t2', 'ann', 'ticket', 1, 'pen', 1))
    assert.are.same({}, diff())
  end)

  it('shows what became of a repeated order', function()
    order('t1', 'ann', 'pen', 1)
    run(release, 't1')
    assert.are.equal('released', order('t1', 'ann', 'pen', 1)[2][1])
    clock.advance('601s')
    assert.are.equal('again', order('t1', 'ann', 'pen', 1), 'it was forgotten just now')
    assert.are.equal('reserved', order('t1', 'ann', 'pen', 1)[1])
  end)

  it('has quotas', function()
    order('t1', 'ann', 'pen', 2)
    assert.are.same({'quota', 'pen'}, order('t2', 'ann', 'pen', 2))
    assert.are.same({'quota', 'pen'}, order('t2', 'ann', 'pen', 2, 'ticket', 1))
    assert.are.equal('reserved', order('t2', 'ann', 'pen', 1)[1])
    assert.are.equal('reserved', order('t3', 'bob', 'pen', 3)[1])
  end)

  it('ends with the stock', function()
    assert.are.same({'sold out', 'pen'}, order('t1', 'ann', 'pen', 11))
    assert.are.same({'sold out', 'ticket'}, order('t1', 'ann', 'ticket', 4))
    assert.are.same({'unknown item', 'cup'}, order('t1', 'ann', 'cup', 1))
  end)

  it('needs an open sale', function()
    run(phase, 'closed')
    assert.are.equal('closed', order('t1', 'ann', 'pen', 1))
    redis.call('HDEL', ITEMS, '')
    assert.are.equal('not open', order('t1', 'ann', 'pen', 1))
  end)

  it('ends orders whose deadline has passed', function()
    order('t1', 'ann', 'pen', 3)
    order('t2', 'bob', 'ticket', 1)
    clock.advance('61s')
    assert.are.same({'reserved', NOW + MINUTE + 61000000}, order('t3', 'ann', 'pen', 3))
    assert.are.same({7, 3, 0, 10}, items().pen)
    assert.are.same({3, 0, 0, 3, 1}, items().ticket, 'the unit is the last one now')
    assert.are.equal('expired', run(find, 't1')[2][1])
    consistent()
  end)

  it('ends many if the stock does not suffice', function()
    run(define, 'cup', 'counter', 0)
    run(supply, 's2', 'cup', 20, 1000)
    for i = 1, 20 do
      order('t' .. i, 'u' .. i, 'cup', 1)
    end
    assert.are.same({'sold out', 'cup'}, order('t', 'ann', 'cup', 20))
    clock.advance('61s')
    assert.are.equal('again', order('t', 'ann', 'cup', 20))
    assert.are.same({'reserved', NOW + MINUTE + 61000000}, order('t', 'ann', 'cup', 20))
    consistent()
  end)

  it('looks earlier if an order is due earlier', function()
    order('t1', 'ann', 'pen', 1)
    assert.are.same(
      {'reserved', NOW + 1000},
      reserve:run(KEYS, {KEEP, 1000, 't2', 'ann', 'pen', 1})
    )
    assert.are.equal(NOW + 1000, tonumber(redis.call('HGET', ITEMS, '')))
    assert.are.same({'ok', {'reserved', NOW + 500, 'bob', 'ticket', 2, {'A', 'B'}}},
      reserve:run(KEYS, {KEEP, 500, 't3', 'bob', 'ticket', 2}))
    assert.are.equal(NOW + 500, tonumber(redis.call('HGET', ITEMS, '')))
    order('t4', 'bob', 'ticket', 1, 'pen', 1)
    assert.are.equal(NOW + 500, tonumber(redis.call('HGET', ITEMS, '')))
    consistent()
  end)
end)

describe('confirm', function()
  before_each(opened)
  it('sells what an order holds', function()
    order('t1', 'ann', 'pen', 2)
    clock.advance('1s')
    assert.are.same(
      {'ok', {'confirmed', NOW + 1000000, 'ann', 'pen', 2, false}},
      run(confirm, 't1')
    )
    assert.are.same({8, 3, 2, 10}, items().pen)
    diff()
    assert.are.equal('ok', run(confirm, 't1')[1])
    assert.are.same({}, diff())
    consistent()
  end)
  it('adds it to a stream', function()
    order('t1', 'ann', 'pen', 1, 'ticket', 1)
    local keys = {ITEMS, ORDERS, DUE, USERS, UNITS, STREAM}
    confirm:run(keys, {KEEP, 't1'})
    local entry = redis.call('XRANGE', STREAM, '-', '+')[1][2]
    assert.are.same({'id', 't1', 'payload'}, {entry[1], entry[2], entry[3]})
    assert.are.same({id = 't1', user = 'ann', confirmed = NOW / 1000,
      lines = {
        {item = 'pen', quantity = 1},
        {item = 'ticket', quantity = 1, serials = {'A'}},
      }}, cjson.decode(entry[4]))
    confirm:run(keys, {KEEP, 't1'})
    assert.are.equal(1, redis.call('XLEN', STREAM))
  end)
  it('changes nothing if the stream cannot be written', function()
    order('t1', 'ann', 'pen', 1)
    fixture{[STREAM] = 'x'}
    diff()
    assert.has_error(function()
      confirm:run({ITEMS, ORDERS, DUE, USERS, UNITS, STREAM}, {KEEP, 't1'})
    end)
    assert.are.same({}, diff())
  end)
  it('refuses', function()
    assert.are.equal('unknown order', run(confirm, 't1'))
    order('t1', 'ann', 'pen', 1)
    run(release, 't1')
    assert.are.equal('released', run(confirm, 't1')[1])
    order('t2', 'ann', 'pen', 1)
    clock.advance('60s')
    assert.are.equal('expired', run(confirm, 't2')[1])
    assert.are.same({10, 3, 0, 10}, items().pen)
  end)
end)

describe('release', function()
  before_each(opened)
  it('gives back what an order holds', function()
    order('t1', 'ann', 'pen', 2)
    order('t2', 'ann', 'pen', 1, 'ticket', 2)
    assert.are.equal('ok', run(release, 't2')[1])
    assert.are.same({8, 3, 0, 10}, items().pen)
    assert.are.same({3, 0, 0, 3, 2}, items().ticket)
    assert.are.equal('2', redis.call('HGET', USERS, 'pen\255ann'))
    assert.are.equal('ok', run(release, 't1')[1])
    assert.is_false(redis.call('HGET', USERS, 'pen\255ann'))
    assert.are.same({'ok', ''}, run(holder, 'ticket', 'A'))
    diff()
    assert.are.equal('ok', run(release, 't1')[1])
    assert.are.same({}, diff())
    assert.are.same({'reserved', NOW + MINUTE, 'C'}, order('t3', 'bob', 'ticket', 1))
    assert.are.same({'reserved', NOW + MINUTE, 'A'}, order('t4', 'bob', 'ticket', 1))
    consistent()
  end)
  it('refuses', function()
    assert.are.equal('unknown order', run(release, 't1'))
    order('t1', 'ann', 'pen', 1)
    run(confirm, 't1')
    assert.are.equal('confirmed', run(release, 't1')[1])
    order('t2', 'ann', 'pen', 1)
    clock.advance('60s')
    assert.are.equal('expired', run(release, 't2')[1])
  end)
  it('works when the sale is closed', function()
    order('t1', 'ann', 'pen', 1)
    run(phase, 'closed')
    assert.are.equal('ok', run(release, 't1')[1])
    assert.are.equal('closed', redis.call('HGET', ITEMS, ''))
  end)
  it('works when the sale was never opened', function()
    order('t1', 'ann', 'pen', 1)
    redis.call('HDEL', ITEMS, '')
    assert.are.equal('ok', run(release, 't1')[1])
    assert.is_false(redis.call('HGET', ITEMS, ''))
  end)
  it('makes scripts look when the order is forgotten', function()
    order('t1', 'ann', 'pen', 1)
    run(sweep, 10)
    redis.call('HSET', ITEMS, '', NOW + 2 * KEEP)
    run(release, 't1')
    assert.are.equal(NOW + KEEP, tonumber(redis.call('HGET', ITEMS, '')))
  end)
  it('fails before it writes if a key is something else', function()
    order('t1', 'ann', 'pen', 1)
    for _, key in ipairs{USERS, UNITS, DUE} do
      local kept = redis.call('DUMP', key)
      redis.call('SET', key, 'x')
      diff()
      assert.has_error(function() run(release, 't1') end)
      assert.are.same({}, diff())
      redis.call('DEL', key)
      if kept then
        redis.call('RESTORE', key, 0, kept)
      end
    end
  end)
end)

describe('find', function()
  before_each(opened)
  it('shows an order', function()
    assert.are.equal('unknown order', run(find, 't1'))
    order('t1', 'ann', 'pen', 1)
    assert.are.equal('reserved', run(find, 't1')[2][1])
    clock.advance('60s')
    assert.are.same({'ok', {'expired', NOW + MINUTE, 'ann', 'pen', 1, false}}, run(find, 't1'))
    clock.advance('600s')
    assert.are.equal('unknown order', run(find, 't1'), 'it is forgotten')
    assert.is_false(redis.call('HGET', ORDERS, 't1'))
  end)
end)

describe('holder', function()
  before_each(opened)
  it('knows who has a unit', function()
    assert.are.same({'unknown unit', 'ticket'}, run(holder, 'ticket', 'X'))
    assert.are.same({'ok', ''}, run(holder, 'ticket', 'A'))
    order('t1', 'ann', 'ticket', 1)
    assert.are.same({'ok', 't1'}, run(holder, 'ticket', 'A'))
    clock.advance('60s')
    assert.are.same({'ok', ''}, run(holder, 'ticket', 'A'))
  end)
end)

describe('sweep', function()
  before_each(opened)
  it('ends and forgets orders', function()
    order('t1', 'ann', 'pen', 1)
    order('t2', 'bob', 'ticket', 2)
    assert.are.same({'ok', 0, 0}, run(sweep, 10))
    clock.advance('60s')
    assert.are.same({'ok', 1, 0}, run(sweep, 1), 'no more than asked for')
    assert.are.same({'ok', 1, 0}, run(sweep, 10))
    assert.are.same({10, 3, 0, 10}, items().pen)
    clock.advance('600s')
    assert.are.same({'ok', 0, 3}, run(sweep, 10), 'the supply is forgotten too')
    assert.are.equal(0, redis.call('EXISTS', DUE))
    assert.are.equal('1e300', redis.call('HGET', ITEMS, ''))
    consistent()
  end)
  it('forgets tokens without an order', function()
    redis.call('ZADD', DUE, NOW, 'lost')
    assert.are.same({'ok', 0, 1}, run(sweep, 10))
  end)
  it('works when the sale is closed or was never opened', function()
    order('t1', 'ann', 'pen', 1)
    order('t2', 'ann', 'pen', 1)
    clock.advance('60s')
    run(phase, 'closed')
    assert.are.same({'ok', 1, 0}, run(sweep, 1))
    assert.are.equal('closed', redis.call('HGET', ITEMS, ''))
    redis.call('HDEL', ITEMS, '')
    assert.are.same({'ok', 1, 0}, run(sweep, 1))
    assert.is_false(redis.call('HGET', ITEMS, ''))
  end)
end)

describe('status', function()
  it('shows the phase', function()
    assert.are.same({'ok', 'preparing', {}}, run(status, 'status'))
    opened()
    assert.are.equal('open', run(status, 'status')[2])
    run(phase, 'closed')
    assert.are.equal('closed', run(status, 'status')[2])
    run(phase, 'open')
    assert.are.equal('open', run(status, 'status')[2])
    assert.are.equal(NOW + KEEP, tonumber(redis.call('HGET', ITEMS, '')), 'the supply is due then')
  end)

  it('shows when nothing will ever be due', function()
    run(define, 'pen', 'counter', 0)
    assert.are.equal('ok', run(phase, 'open'))
    assert.are.equal('1e300', redis.call('HGET', ITEMS, ''))
    supply:run(KEYS, {'ever', 's1', 'pen', 10, 1000})
    run(phase, 'open')
    assert.are.equal('1e300', redis.call('HGET', ITEMS, ''))
  end)

  it('audits', function()
    opened()
    order('t1', 'ann', 'pen', 2)
    order('t2', 'bob', 'pen', 1, 'ticket', 1)
    order('t3', 'eve', 'pen', 1)
    run(confirm, 't3')
    local a = audit()
    local held = {[a[4][1]] = a[4][2], [a[4][3]] = a[4][4]}
    assert.are.same({pen = 3, ticket = 1}, held)
    assert.are.same(
      {7, 4, 2, 0, {}},
      {a[5], a[6], a[7], a[8], a[9]},
      '4 tokens and 3 serials, 4 due, 2 units'
    )
  end)

  it('reads many orders', function()
    opened()
    for i = 1, 1001 do
      redis.call('ZADD', DUE, NOW + KEEP + i, 'lost' .. i)
    end
    assert.are.equal(1002, audit()[6])
    assert.are.equal(2, #calls('ZRANGE') - 1)
  end)

  it('finds an order that is due too early', function()
    opened()
    redis.call('HSET', ITEMS, '', NOW + 2 * KEEP)
    assert.are.equal(1, audit()[8])
    run(phase, 'closed')
    assert.are.equal(0, audit()[8])
  end)

  it('finds units that are not numbered as a queue', function()
    opened()
    local broken = {{'HSET', UNITS, '0:ticket', 'Z'},
      {'HSET', UNITS, '4:ticket', 'Z'},
      {'HDEL', UNITS, '1:ticket'},
      {'HDEL', UNITS, '3:ticket'}}
    for _, command in ipairs(broken) do
      local kept = redis.call('DUMP', UNITS)
      redis.call(unpack(command))
      assert.are.same({'ticket'}, audit()[9])
      redis.call('RESTORE', UNITS, 0, kept, 'REPLACE')
    end
    assert.are.same({}, audit()[9])
    for _, token in ipairs{'t1', 't2', 't3'} do
      order(token, 'ann', 'ticket', 1)
    end
    assert.are.same({}, audit()[9], 'none is left')
  end)
end)

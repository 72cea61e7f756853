-- Tests of the scripts of a queue with delays.
local enqueue, take, settle = script('enqueue.lua'), script('take.lua'), script('settle.lua')
local leave, requeue, discard, status = script('leave.lua'),
  script('requeue.lua'),
  script('discard.lua'),
  script('status.lua')
local READY, DELAYED, IDS, META, DEAD = '{q}:ready',
  '{q}:delayed',
  '{q}:ids',
  '{q}:meta',
  '{q}:dead'
local START = 1704067200000 -- the time of the clock in milliseconds
local GROUP = 'workers'

-- put enqueues messages: id, payload, id, payload ...
local function put(kind, when, messages, most, wait)
  local args = {most or 0, wait or 1000, kind, when}
  for _, text in ipairs(messages) do
    args[#args + 1] = text
  end
  return enqueue:run({READY, DELAYED, IDS, META}, args)
end
local function now(...) return put('now', 0, {...}) end

-- get hands messages to a consumer. With look it looks for those of vanished consumers from cursor on.
local function get(consumer, most, look, cursor)
  local args = {GROUP, consumer or 'c1', most or 10, 5000, look and 0 or START * 2, cursor or '0-0'}
  return take:run({READY, DELAYED, IDS}, args)
end

-- finish settles: commits is a list of {entry, id}, others one of {entry, times, attempt, verdict, detail}.
local function finish(consumer, retention, commits, others)
  local args = {GROUP, consumer, retention, #commits}
  for _, c in ipairs(commits) do
    args[#args + 1] = c[1]
  end
  for _, c in ipairs(commits) do
    args[#args + 1] = ''
    args[#args + 1] = c[2]
  end
  for _, o in ipairs(others or {}) do
    for i = 1, 5 do
      args[#args + 1] = o[i]
    end
  end
  return settle:run({READY, DELAYED, IDS, DEAD, META}, args)
end

-- micros returns a time in ms as a score in us.
local function micros(ms) return ('%.0f'):format(1000 * ms) end
local function show() return status:run({READY, DELAYED, IDS, DEAD, META}, {GROUP}) end
local function ids_of(entries)
  local list = {}
  for i, e in ipairs(entries) do
    list[i] = e[2][2]
  end
  return list
end

describe('enqueue', function()
  it('makes messages ready', function()
    assert.are.same({'ok', 'queued', 'queued'}, now('a', 'pay a', 'b', 'pay b'))
    assert.keyspace{
      [READY] = stream{
        {id = START .. '-0', fields = {id = 'a', payload = 'pay a'}},
        {id = START .. '-1', fields = {id = 'b', payload = 'pay b'}},
      },
      [IDS] = zset{a = -1 - 1000 * START, b = -1 - 1000 * START},
    }
  end)

  it('knows its ids', function()
    now('a', '1')
    assert.are.same({'ok', 'duplicate', 'queued'}, now('a', '2', 'b', '2'))
    assert.are.equal(2, redis.call('XLEN', READY))
    redis.call('ZADD', IDS, 1000 * (START + 1000), 'done') -- remembered for another second
    assert.are.same({'ok', 'duplicate'}, now('done', '1'))
    clock.advance('1001ms')
    assert.are.same({'ok', 'queued'}, now('done', '1'))
  end)

  it('delays messages', function()
    assert.are.same({'ok', 'queued'}, put('after', 5000, {'a', 'x y'}))
    assert.are.same({'ok', 'queued'}, put('at', START + 9000, {'b', 'z'}))
    assert.are.same({
        '0000000000000001 1 1 ax y',
        tostring(START + 5000),
        '0000000000000002 1 1 bz',
        tostring(START + 9000),
      },
      redis.call('ZRANGE', DELAYED, 0, -1, 'WITHSCORES'))
    assert.are.equal(0, redis.call('EXISTS', READY), 'nobody would wait too long')
  end)

  it('makes messages ready whose time has come', function()
    put('at', START, {'a', '1'})
    put('after', 0, {'b', '1'})
    assert.are.equal(2, redis.call('XLEN', READY))
    assert.are.equal(0, redis.call('EXISTS', DELAYED))
  end)

  it('wakes a consumer that would wait too long', function()
    put('after', 5000, {'a', '1'}, 0, 10000)
    assert.are.same({'wake', '1'}, redis.call('XRANGE', READY, '-', '+')[1][2])
    put('after', 6000, {'b', '1'}, 0, 10000)
    assert.are.equal(1, redis.call('XLEN', READY), 'another message is due before')
    put('after', 4000, {'c', '1'}, 0, 10000)
    assert.are.equal(2, redis.call('XLEN', READY), 'this one is due first')
    put('after', 3000, {'c', '1'}, 0, 10000)
    assert.are.equal(2, redis.call('XLEN', READY), 'a duplicate wakes nobody')
  end)

  it('refuses messages when the queue is full', function()
    assert.are.same({'ok', 'queued', 'queued'}, put('now', 0, {'a', '1', 'b', '1'}, 2))
    diff()
    assert.are.equal('full', put('now', 0, {'c', '1'}, 2))
    assert.are.equal('full', put('after', 5000, {'a', '1', 'c', '1'}, 2))
    assert.are.same({}, diff())
    assert.are.same({'ok', 'duplicate'}, put('now', 0, {'a', '1'}, 2), 'nothing is added')
    assert.are.same(
      {'ok', 'queued', 'duplicate'},
      put('after', 5000, {'c', '1', 'c', '2'}, 3),
      'the same id counts once'
    )
    assert.are.equal('full', put('now', 0, {'d', '1'}, 3), 'delayed messages count too')
  end)
end)

describe('take', function()
  it('makes the group when it is missing', function()
    assert.are.same({'ok', START, -1, {}}, get('c1'))
    now('a', '1')
    local reply = get('c1')
    assert.are.equal('ok', reply[1])
    assert.are.same({{START .. '-0', {'id', 'a', 'payload', '1'}}}, reply[4])
    assert.are.same({'ok', START, -1, {}}, get('c1'), 'it is handed out once')
  end)

  it('hands out no more than asked for', function()
    now('a', '1', 'b', '1', 'c', '1')
    assert.are.same({'a', 'b'}, ids_of(get('c1', 2)[4]))
    assert.are.same({'c'}, ids_of(get('c2', 2)[4]))
  end)

  it('says when the next delayed message is due', function()
    put('after', 5000, {'a', '1'})
    assert.are.same({'ok', START, 5000, {}}, get('c1'))
  end)

  it('makes delayed messages ready', function()
    put('after', 5000, {'id with space', 'pay load'})
    put('after', 6000, {'b', '1'})
    clock.advance('5s')
    assert.are.same(
      {'id', 'id with space', 'payload', 'pay load', 'attempt', '1'},
      get('c1')[4][1][2]
    )
    assert.are.equal(1, redis.call('ZCARD', DELAYED))
  end)

  it('says that one is due already if it could not be made ready', function()
    for i = 1, 3 do
      put('after', 1000, {'m' .. i, '1'})
    end
    clock.advance('2s')
    get('c1', 1)
    get('c1', 1)
    assert.are.same({'m3'}, ids_of(get('c1', 1)[4]))
    redis.call('ZADD', DELAYED, START, '0000000000000009 1 1 xy')
    redis.call('ZADD', DELAYED, START, '0000000000000010 1 1 zy')
    local reply = get('c1', 1, true)
    assert.are.same({'x'}, ids_of(reply[4]))
    assert.are.equal(0, reply[3])
  end)

  it('takes over messages of vanished consumers', function()
    now('a', '1', 'b', '1')
    get('c1', 1)
    clock.advance('4s')
    local reply = get('c2', 10, true)
    assert.are.same({'b'}, ids_of(reply[4]))
    assert.are.same({'0-0', {}, {}}, {reply[5], reply[6], reply[7]})
    clock.advance('1s')
    reply = get('c2', 10, true)
    assert.are.same({'ok', START + 5000, -1, {}}, {reply[1], reply[2], reply[3], reply[4]})
    assert.are.same({'a'}, ids_of(reply[6]))
    assert.are.same({2}, reply[7])
  end)

  it('takes nothing else if it took over enough', function()
    now('a', '1', 'b', '1')
    get('c1', 1)
    clock.advance('5s')
    local reply = get('c2', 1, true)
    assert.are.same({}, reply[4])
    assert.are.same({'a'}, ids_of(reply[6]))
    assert.are.same({'b'}, ids_of(get('c2', 1)[4]))
  end)

  it('makes the group while it looks', function()
    local reply = get('c1', 10, true)
    assert.are.same({'ok', START, -1, {}, '0-0', {}, {}}, reply)
    assert.are.equal('NOGROUP', calls('XAUTOCLAIM')[1].reply.err:sub(1, 7))
  end)

  it('passes on other errors', function()
    fixture{[READY] = 'x'}
    assert.error_matches(function() get('c1', 10, true) end, 'WRONGTYPE')
    assert.error_matches(function() get('c1') end, 'WRONGTYPE')
  end)

  it('removes consumers that have long been gone', function()
    now('a', '1')
    get('c1')
    get('c2')
    get('c3')
    clock.advance('501s')
    redis.call('XGROUP', 'CREATECONSUMER', READY, GROUP, 'c4')
    get('c3', 10, true)
    local names = {}
    for i, c in ipairs(redis.call('XINFO', 'CONSUMERS', READY, GROUP)) do
      names[i] = c[2]
    end
    assert.are.same({'c3', 'c4'}, names)
  end)

  it('never removes the consumer that asks', function()
    now('a', '1')
    get('c1')
    stub('XINFO', {{'name', 'c1', 'pending', 0, 'idle', 500001},
      {'name', 'c2', 'pending', 1, 'idle', 500001},
      {'name', 'c3', 'pending', 0, 'idle', 500000}, {'name', 'c4', 'pending', 0, 'idle', 500001}})
    local removed = spy('XGROUP')
    get('c1', 10, true)
    assert.spy(removed).was.called(1)
    assert.spy(removed).was.called_with('DELCONSUMER', READY, GROUP, 'c4')
  end)

  it('forgets ids', function()
    redis.call('ZADD', IDS, 1000 * START - 1, 'old', 1000 * START + 1, 'young', -5, 'queued')
    get('c1', 10, true)
    assert.are.same({'queued', 'young'}, redis.call('ZRANGE', IDS, 0, -1))
  end)
end)

describe('settle', function()
  local entry = {}
  before_each(function()
    now('a', '1', 'b', '2', 'c', '3')
    for i, e in ipairs(get('c1')[4]) do
      entry[i] = e[1]
    end
  end)

  it('commits a message', function()
    assert.are.same({'ok', 0}, finish('c1', 5000, {{entry[1], 'a'}}))
    assert.are.equal(2, redis.call('XLEN', READY))
    assert.are.equal(micros(START + 5000), redis.call('ZSCORE', IDS, 'a'))
    assert.are.same({'ok', 'duplicate'}, now('a', '1'))
  end)

  it('commits several', function()
    assert.are.same({'ok', 0}, finish('c1', 5000, {{entry[1], 'a'}, {entry[2], 'b'}}))
    assert.are.equal(1, redis.call('XLEN', READY))
    assert.are.equal(micros(START + 5000), redis.call('ZSCORE', IDS, 'b'))
    assert.are.equal('2', redis.call('HGET', META, 'commit'))
  end)

  it('forgets the ids immediately', function()
    assert.are.same({'ok', 0}, finish('c1', 0, {{entry[1], 'a'}, {entry[2], 'b'}}))
    assert.are.same({'c'}, redis.call('ZRANGE', IDS, 0, -1))
    assert.are.same({'ok', 0}, finish('c1', 0, {{entry[3], 'c'}}))
    assert.are.equal(0, redis.call('EXISTS', IDS))
  end)

  it('commits for every consumer', function()
    clock.advance('5s')
    get('c2', 1, true) -- takes a over
    assert.are.same({'ok', 0}, finish('c1', 5000, {{entry[1], 'a'}}))
  end)

  it('counts what was settled before', function()
    finish('c1', 5000, {{entry[1], 'a'}})
    assert.are.same({'ok', 1}, finish('c1', 5000, {{entry[1], 'a'}}))
    assert.are.same({'ok', 1}, finish('c1', 5000, {{entry[1], 'a'}, {entry[2], 'b'}}))
    assert.are.same({'ok', 2}, finish('c1', 5000, {{entry[1], 'a'}, {entry[2], 'b'}}))
    assert.are.equal('2', redis.call('HGET', META, 'commit'))
    assert.are.equal(1, redis.call('XLEN', READY))
  end)

  it('commits what the group does not know any more', function()
    redis.call('XACK', READY, GROUP, entry[1])
    assert.are.same({'ok', 0}, finish('c1', 0, {{entry[1], 'a'}}))
    assert.are.equal(2, redis.call('XLEN', READY))
  end)

  it('forgets old ids from time to time', function()
    redis.call('HSET', META, 'commit', 63)
    redis.call('ZADD', IDS, 5, 'old')
    finish('c1', 5000, {{entry[1], 'a'}})
    assert.is_false(redis.call('ZSCORE', IDS, 'old'))
    redis.call('HSET', META, 'commit', 63)
    finish('c1', 5000, {{entry[2], 'b'}})
    assert.are.equal(1, #calls('ZRANGEBYSCORE'))
    redis.call('ZADD', IDS, 5, 'old')
    finish('c1', 5000, {{entry[3], 'c'}})
    assert.are.equal('5', redis.call('ZSCORE', IDS, 'old'), 'not each time')
  end)

  it('delays a message that is tried again', function()
    assert.are.same({'ok', 0}, finish('c1', 0, {}, {{entry[1], 1, 1, 'retry', 3000}}))
    assert.are.same(
      {'0000000000000001 2 1 a1', tostring(START + 3000)},
      redis.call('ZRANGE', DELAYED, 0, -1, 'WITHSCORES')
    )
    assert.are.equal('1', redis.call('HGET', META, 'retry'))
    assert.are.equal(2, redis.call('XPENDING', READY, GROUP)[1])
  end)

  it('makes one ready again without a delay', function()
    assert.are.same({'ok', 0}, finish('c1', 0, {}, {{entry[1], 1, 1, 'retry', 0}}))
    assert.are.same({'id', 'a', 'payload', '1', 'attempt', '2'}, get('c1')[4][1][2])
  end)

  it('retries what has no id', function()
    local odd = redis.call('XADD', READY, '*', 'x', 'y')
    get('c1')
    assert.are.same({'ok', 0}, finish('c1', 0, {}, {{odd, 1, 1, 'retry', 0}}))
    assert.are.same({'id', '', 'payload', '', 'attempt', '2'}, get('c1')[4][1][2])
  end)

  it('keeps dead letters', function()
    assert.are.same({'ok', 0}, finish('c1', 0, {}, {{entry[1], 1, 3, 'dead', 'too often'}}))
    assert.are.same(
      {'reason', 'too often', 'attempts', '3', 'id', 'a', 'payload', '1'},
      redis.call('XRANGE', DEAD, '-', '+')[1][2]
    )
    assert.are.equal('1', redis.call('HGET', META, 'dead'))
  end)

  it('drops entries', function()
    assert.are.same({'ok', 0}, finish('c1', 0, {}, {{entry[1], 1, 1, 'drop', ''}}))
    assert.are.same({'ok', 1}, finish('c1', 0, {}, {{entry[1], 1, 1, 'drop', ''}}), 'once')
    assert.are.equal(2, redis.call('XLEN', READY))
  end)

  it('leaves messages that the consumer has no more', function()
    diff()
    assert.are.same({'ok', 1}, finish('c2', 0, {}, {{entry[1], 1, 1, 'retry', 0}}), 'it has c1')
    assert.are.same(
      {'ok', 1},
      finish('c1', 0, {}, {{entry[1], 2, 1, 'retry', 0}}),
      'it was handed out again'
    )
    assert.are.same({}, diff())
    finish('c1', 5000, {{entry[1], 'a'}})
    assert.are.same(
      {'ok', 1},
      finish('c1', 0, {}, {{entry[1], 1, 1, 'retry', 0}}),
      'it was committed'
    )
    redis.call('XDEL', READY, entry[2])
    assert.are.same({'ok', 1}, finish('c1', 0, {}, {
      {entry[2], 1, 1, 'retry', 0},
    }), 'it was deleted')
    assert.are.equal(1, redis.call('XPENDING', READY, GROUP)[1])
  end)

  it('does all this in one call', function()
    assert.are.same({'ok', 0}, finish('c1', 5000, {{entry[1], 'a'}},
      {{entry[2], 1, 1, 'retry', 500}, {entry[3], 1, 1, 'dead', 'bad'}}))
    assert.are.same({'ok', 0, 0, 1, 1, 3, 1, 0, 1, 1, 1}, show())
  end)
end)

describe('leave', function()
  it('removes a consumer', function()
    now('a', '1')
    local entry = get('c1')[4][1][1]
    assert.are.equal('busy', leave:run({READY}, {GROUP, 'c1'}))
    finish('c1', 0, {{entry, 'a'}})
    assert.are.equal('ok', leave:run({READY}, {GROUP, 'c1'}))
    assert.are.same({}, redis.call('XINFO', 'CONSUMERS', READY, GROUP))
  end)
end)

describe('dead letters', function()
  local first
  before_each(function()
    first = redis.call(
      'XADD',
      DEAD,
      '*',
      'reason',
      'r',
      'attempts',
      3,
      'id',
      'a',
      'payload',
      '1',
      'attempt',
      3
    )
    redis.call('ZADD', IDS, -5, 'a')
  end)

  it('can be put back', function()
    local empty = redis.call('XADD', DEAD, '*', 'reason', 'r', 'attempts', 3)
    assert.are.same({'ok', 1}, requeue:run({READY, DEAD}, {first, '9-9', empty}))
    assert.are.same({'id', 'a', 'payload', '1'}, redis.call('XRANGE', READY, '-', '+')[1][2])
    assert.are.same({empty}, {redis.call('XRANGE', DEAD, '-', '+')[1][1]})
    assert.are.same({'ok', 0}, requeue:run({READY, DEAD}, {first}))
  end)

  it('can be discarded', function()
    assert.are.same({'ok', 1}, discard:run({DEAD, IDS}, {5000, first, '9-9'}))
    assert.are.equal(micros(START + 5000), redis.call('ZSCORE', IDS, 'a'))
    assert.are.equal(0, redis.call('XLEN', DEAD))
    assert.are.same({'ok', 0}, discard:run({DEAD, IDS}, {5000, first}))
  end)

  it('can be forgotten', function()
    assert.are.same({'ok', 1}, discard:run({DEAD, IDS}, {0, first}))
    assert.are.equal(0, redis.call('EXISTS', IDS))
  end)
end)

describe('status', function()
  it('describes a queue', function()
    assert.are.same({'ok', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, show())
    now('a', '1', 'b', '1')
    assert.are.same({'ok', 2, 0, 0, 0, 2, 0, 0, 0, 0, 0}, show(), 'there is no group yet')
    clock.advance('3s')
    get('c1', 1)
    redis.call('XGROUP', 'CREATE', READY, 'others', '0')
    put('after', 5000, {'c', '1'})
    assert.are.same({'ok', 1, 1, 1, 0, 3, 1, 3000, 0, 0, 0}, show())
  end)
  it('describes one that is empty but has a group', function()
    get('c1')
    assert.are.same({'ok', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, show())
    redis.call('XGROUP', 'CREATECONSUMER', READY, GROUP, 'c1')
    assert.are.same({'ok', 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, show())
  end)
end)

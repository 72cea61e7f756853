-- explore{...}: every order of the steps of several clients.
local claim = script([[
if tonumber(redis.call('GET', KEYS[1])) > 0 then
  redis.call('DECR', KEYS[1])
  return 1
end
return 0]])

local function careless()
  if tonumber(redis.call('GET', 'stock')) > 0 then
    return redis.call('DECR', 'stock')
  end
end

local function not_oversold() assert.is_true(tonumber(redis.call('GET', 'stock')) >= 0) end

describe('explore', function()
  before_each(function() fixture { stock = 1 } end)

  it('finds check-then-act', function()
    local ok, err = pcall(explore, { clients = { ann = careless, bob = careless, cid = careless }, check = not_oversold })
    assert.is_false(ok)
    assert.matches('order = \'1 2 2 1\'', tostring(err))
    assert.matches('step  ann               bob\n   1  GET stock %-> "1"\n', tostring(err))
    assert.does_not.match('cid', tostring(err))
    assert.keyspace { stock = 1 }
  end)

  it('runs one order', function()
    local report = explore { clients = { careless, careless }, check = not_oversold, order = '1 1 2' }
    assert.are.same({ orders = 1, complete = false, why = 'only the order 1 1 2 was run' }, report)
    assert.error_matches(function()
      explore { clients = { careless, careless }, check = not_oversold, order = '1 2 2 1' }
    end, 'expected true, found false')
  end)

  it('passes a script', function()
    local won = {}
    local report = explore {
      clients = {
        ann = function() return claim:run({ 'stock' }) end,
        bob = function() return claim:run({ 'stock' }) end,
      },
      check = function(result)
        not_oversold()
        assert.are.equal(1, result.ann + result.bob)
        won[result.ann == 1 and 'ann' or 'bob'] = true
      end,
      serializable = true,
    }
    assert.are.same({ orders = 2, complete = true }, report)
    assert.are.same({ ann = true, bob = true }, won)
  end)

  it('leaves steps out that commute', function()
    local function own(name)
      return function()
        for _ = 1, 4 do redis.call('INCR', name) end
      end
    end
    assert.are.same({ orders = 1, complete = true }, explore { clients = { own('a'), own('b'), own('c') } })
  end)

  it('begins each order with what is there, and with setup', function()
    redis.call('SET', 'before', 'x', 'PX', 500)
    clock.advance('200ms')
    explore {
      setup = function() fixture { added = { 'y' }, stock = 2 } end,
      ticks = { '400ms' },
      clients = {
        function() return redis.call('EXISTS', 'before', 'added') end,
        function()
          redis.call('SET', 'before', 'x', 'KEEPTTL', 'XX')
        end,
      },
      check = function(result)
        assert.are.same({ added = { 'y' }, stock = '2' }, keyspace())
        assert.is_true(result['client 1'] == 1 or result['client 1'] == 2)
      end,
    }
    assert.keyspace { stock = 1, before = ttl('300ms', 'x') }
  end)

  it('follows clients that wait', function()
    explore {
      clients = {
        worker = function() return redis.call('BLPOP', 'jobs', 0)[2] end,
        boss = function() redis.call('RPUSH', 'jobs', 'a') end,
        late = function() return redis.call('BLPOP', 'nothing', 5) end,
      },
      check = function(result) assert.are.same({ worker = 'a', late = false }, result) end,
    }
    assert.error_matches(function()
      explore { clients = { function() redis.call('BLPOP', 'jobs', 0) end } }
    end, 'waits for ever: client 1 in BLPOP jobs 0')
    explore { clients = { worker = function() redis.call('BLPOP', 'jobs', 0) end }, waits = { 'worker' } }
  end)

  it('lets clients sleep', function()
    local start = clock.now()
    explore {
      clients = { function() clock.sleep('1m') clock.sleep(30) return clock.now() end },
      check = function(result) assert.are.equal(start + 90, result['client 1']) end,
    }
    assert.has_error(function() clock.sleep(1) end, 'clock.sleep works in a client of explore; clock.advance moves the clock')
  end)

  it('ends clients that crash', function()
    local ends = {}
    explore {
      clients = { ann = function() redis.call('SET', 'a', 1) redis.call('SET', 'b', 1) return true end },
      crashes = { 'ann' },
      check = function(result) ends[redis.call('EXISTS', 'a', 'b') .. tostring(result.ann)] = true end,
    }
    assert.are.same({ ['0nil'] = true, ['1nil'] = true, ['2true'] = true }, ends)
  end)

  it('knows transactions', function()
    explore {
      always = function() assert.are_not.equal('1', redis.call('GET', 'n')) end,
      clients = {
        function() redis.call('MULTI') redis.call('INCR', 'n') redis.call('INCR', 'n') redis.call('EXEC') end,
        function() redis.call('GET', 'n') end,
      },
    }
    assert.has_error(function()
      explore {
        always = function() assert.are_not.equal('1', redis.call('GET', 'n')) end,
        clients = { function() redis.call('INCR', 'n') redis.call('INCR', 'n') end },
      }
    end)
  end)

  it('has errors of commands in clients', function()
    explore {
      clients = {
        function()
          local err = redis.pcall('LPUSH', 'stock', 1)
          assert.are.equal('WRONGTYPE', err.code)
          local ok, raised = pcall(redis.call, 'LPUSH', 'stock', 1)
          assert.is_false(ok)
          assert.are.equal('WRONGTYPE', raised.code)
          assert.are.same({ false, 'x' }, { pcall(function() redis.call('PING') error('x', 0) end) })
          assert.are.equal('ERR', claim:prun({ 'nosuch' }).code)
          return 'end'
        end,
      },
      check = function(result) assert.are.equal('end', result['client 1']) end,
    }
  end)

  it('counts faults', function()
    fail_next('SET', 'OOM no room')
    local failed = {}
    explore {
      clients = { function() redis.pcall('SET', 'a', 1) end, function() redis.pcall('SET', 'b', 1) end },
      check = function()
        assert.are.equal(1, redis.call('EXISTS', 'a', 'b'))
        failed[redis.call('EXISTS', 'a') == 1 and 'b' or 'a'] = true
      end,
    }
    assert.are.same({ a = true, b = true }, failed)
    assert.are.equal('OOM', redis.pcall('SET', 'c', 1).code)
  end)

  it('has functions', function()
    library("#!lua name=l\nredis.register_function('f', function(keys) return redis.call('INCR', keys[1]) end)")
    explore {
      clients = { function() return fcall('f', { 'n' }) end, function() return pfcall('f', { 'n' }) end },
      check = function(result) assert.are.equal(3, result['client 1'] + result['client 2']) end,
    }
  end)

  for name, case in pairs {
    ['a wrong field'] = { { client = {} }, 'explore has no field client' },
    ['no clients'] = { {}, 'clients must be a table' },
    ['a client that is no function'] = { { clients = { 1 } }, 'client 1 must be a function' },
    ['a check that is no function'] = { { clients = { careless }, check = 1 }, 'check must be a function' },
    ['a wrong number'] = { { clients = { careless }, max_orders = 0 }, 'max_orders must be a number from 1' },
    ['an unknown client'] = { { clients = { careless }, waits = { 'bob' } }, 'there is no client "bob"' },
    ['a wrong order'] = { { clients = { careless }, order = '2' }, '"2" is not a client' },
    ['an error of a client'] = { { clients = { function() error('boom', 0) end } }, 'client 1: boom' },
    ['an assertion of a client'] = { { clients = { function() assert.is_true(false) end } }, 'client 1: .*expected true' },
    ['wrong arguments'] = { { clients = { function() redis.call({}) end } }, 'must be strings or numbers' },
    ['a coroutine'] = { { clients = { function() coroutine.wrap(function() redis.call('PING') end)() end } }, 'coroutine of its own' },
    ['a function of a library'] = { { clients = { function() assert.has_error(function() redis.call('PING') end) end } }, 'has_error' },
    ['a yield'] = { { clients = { function() coroutine.yield() end } }, 'must not yield' },
    ['a fixture'] = { { clients = { function() fixture { a = 1 } end } }, 'a client of explore has redis.call' },
    ['a check that writes'] = { { clients = { careless }, check = function() redis.call('SET', 'a', 1) end }, 'must not write' },
    ['a setup that fails'] = { { clients = { careless }, setup = function() error('boom', 0) end }, 'setup: boom' },
    ['explore within explore'] = { { clients = { careless }, check = function() explore {} end }, 'within explore' },
  } do
    it('refuses ' .. name, function() assert.error_matches(function() explore(case[1]) end, case[2]) end)
  end

  it('says when a client does something else the second time', function()
    local n = 0
    assert.error_matches(function()
      explore { clients = { function() n = n + 1 redis.call('SET', 'n', n) end } }
    end, 'is not deterministic')
  end)

  it('leaves the functions of the test as they were', function()
    local call, run = redis.call, claim.run
    pcall(explore, { clients = { function() error('x') end } })
    assert.are.equal(call, redis.call)
    assert.are.equal(run, claim.run)
    assert.are.equal('PONG', redis.call('PING').ok)
  end)
end)

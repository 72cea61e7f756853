describe('fixture', function()
  it('makes keys of all types', function()
    fixture {
      text = 'x', number = 10, float = 1.5, yes = true,
      list = { 'a', 'b', 3 },
      hash = { name = 'Ann', age = 30 },
      set = set { 'b', 'a', 'b' },
      zset = zset { ann = 1.5, bob = 2 },
      stream = stream { { id = '1-1', f = 'v' }, { id = '2-1', fields = { id = 'x' } } },
      short = ttl('90s', 'x'), short_set = ttl(5, set { 'm' }), short_list = ttl('1m', { 'e' }),
      odd = hash { ['$f'] = 1 },
    }
    assert.are.equal('10', redis.call('GET', 'number'))
    assert.are.same({ 'a', 'b', '3' }, redis.call('LRANGE', 'list', 0, -1))
    assert.are.equal('30', redis.call('HGET', 'hash', 'age'))
    assert.are.equal(2, redis.call('SCARD', 'set'))
    assert.are.equal('1.5', redis.call('ZSCORE', 'zset', 'ann'))
    assert.are.same({ { '1-1', { 'f', 'v' } }, { '2-1', { 'id', 'x' } } }, redis.call('XRANGE', 'stream', '-', '+'))
    assert.are.equal(90, redis.call('TTL', 'short'))
    assert.are.same({
      text = 'x', number = '10', float = '1.5', yes = 'true',
      list = { 'a', 'b', '3' },
      hash = { name = 'Ann', age = '30' },
      set = set { 'a', 'b' },
      zset = zset { ann = 1.5, bob = 2 },
      stream = stream { { id = '1-1', f = 'v' }, { id = '2-1', fields = { id = 'x' } } },
      short = ttl('1m30s', 'x'), short_set = ttl('5s', set { 'm' }), short_list = ttl(60, { 'e' }),
      odd = hash { ['$f'] = '1' },
    }, keyspace())
  end)
  it('reads files', function()
    fixture('data/keys.redis', 'data/keys.json', 'data/dump.rdb')
    assert.keyspace {
      greeting = 'hello world', list = list { 'a', 'b' },
      n = 1, h = { f = 'v' }, s = set { 'b', 'a' }, t = ttl('60s', 'x'),
      ['from rdb'] = { 'x', 'y' },
    }
  end)
  it('keeps numbers as redis.call does', function()
    fixture { n = 1704067200000001, f = 0.1, list = { 1e20 } }
    redis.call('SET', 'm', 1704067200000001)
    assert.are.equal('1704067200000001', redis.call('GET', 'n'))
    assert.keyspace { n = 1704067200000001, m = 1704067200000001, f = 0.1, list = { 1e20 } }
  end)
  it('adds to what is there', function()
    fixture { a = 1 }
    fixture { b = 2 }
    assert.keyspace { a = 1, b = 2 }
  end)
  it('names mistakes', function()
    for text, f in pairs({
      ['fixture: key "k": empty values do not exist in Redis'] = function() fixture { k = {} } end,
      ['fixture: a function has no place in a fixture'] = function() fixture { k = print } end,
      ['fixture: key "k": element 0: a text, a number or a boolean expected, not an array'] = function() fixture { k = { { 1 } } } end,
      ['fixture: a table with the names of keys expected, not a list'] = function() fixture { 'a' } end,
      ['ttl: "soon" is not a time such as "5m", "1h30m", "250ms" or "2d"'] = function() ttl('soon', 1) end,
      ['ttl: time does not go back; clock.set sets the clock'] = function() ttl(-1, 1) end,
      ['ttl: a time of at least a millisecond expected'] = function() ttl(0, 1) end,
      ['set needs a list of texts'] = function() set('a') end,
      ['set: element 1 is a table, not a text'] = function() set { {} } end,
      ['entry 1 of the stream needs a field id, such as "1-1"'] = function() stream { { f = 'v' } } end,
      ["bad argument #1 to 'zset' (a table with the score of each member expected)"] = function() zset { ann = 'x' } end,
      ["bad argument #1 to 'fixture' (a table of keys or the name of a file expected)"] = function() fixture(1) end,
    }) do
      assert.has_error(f, text)
    end
    assert.error_matches(function() fixture('data/nosuch.json') end, '^fixture: open .*nosuch.json: no such file')
    assert.error_matches(function() fixture('data/incr.lua') end, '^fixture: data/incr.lua: line 2: unbalanced quotes')
    assert.has_error(function() fixture('data/common.lua') end, "fixture: local function twice(n): ERR unknown command 'local', with args beginning with: 'function' 'twice(n)' ")
  end)
end)

describe('keyspace', function()
  it('can be asserted', function()
    redis.call('SET', 'a', 1)
    redis.call('SADD', 's', 'x', 'y')
    assert.keyspace { a = 1, s = set { 'y', 'x' } }
    local err = assert.has_error(function() assert.keyspace { a = 2, s = set { 'x', 'y' } } end)
    assert.matches('the keyspace is not as expected', tostring(err))
    assert.matches('%-   a = "2",\n%+   a = "1",', tostring(err))
    assert.is_not.keyspace {}
    assert.has_error(function() assert.is_not.keyspace(keyspace()) end, 'assert.keyspace holds')
  end)
end)

describe('diff', function()
  before_each(function() fixture { stock = 10, same = 'x', gone = 1 } end)
  it('shows what a test has changed', function()
    assert.are.same({}, diff())
    redis.call('DECR', 'stock')
    redis.call('DEL', 'gone')
    redis.call('RPUSH', 'new', 'a')
    redis.call('EXPIRE', 'same', 10)
    assert.are.same({
      stock = { before = '10', after = '9' },
      gone = { before = '1' },
      new = { after = { 'a' } },
      same = { before = 'x', after = ttl('10s', 'x') },
    }, diff())
    assert.are.same({}, diff())
    redis.call('DECR', 'stock')
    assert.are.same({ stock = { before = '9', after = '8' } }, diff())
  end)
end)

describe('what setup does', function()
  local engine_time
  setup(function()
    fixture { base = 1 }
    redis.call('INCR', 'base')
    script("return redis.call('INCRBY', KEYS[1], ARGV[1])"):run({ 'base' }, { 10 })
    library('data/lib.lua')
    clock.advance('1h')
    engine_time = clock.now()
  end)
  it('is there in each test', function()
    assert.keyspace { base = 12 }
    assert.are.same({}, diff())
    assert.are.same({}, calls())
    assert.are.equal(13, fcall('add', { 'base' }, { 1 }))
    assert.are.equal(engine_time, clock.now())
  end)
  it('is there again', function() assert.keyspace { base = 12 } end)
  describe('in a block', function()
    setup(function() redis.call('INCR', 'base') end)
    before_each(function() redis.call('INCR', 'base') end)
    it('adds to that of the blocks around it', function() assert.keyspace { base = 14 } end)
  end)
  it('does not leave the block', function() assert.keyspace { base = 12 } end)
  teardown(function() assert.keyspace { base = 12 } end)
end)

describe('other engines', function()
  server { compat = '8.0', config = { ['hash-max-listpack-entries'] = 1 } }
  it('follow other versions', function()
    redis.call('HSET', 'h', 'f', 'v')
    assert.are.same({ 1 }, redis.call('HEXPIRE', 'h', 10, 'FIELDS', 1, 'f'))
  end)
  it('have a configuration', function()
    assert.are.same({ 'hash-max-listpack-entries', '1' }, redis.call('CONFIG', 'GET', 'hash-max-listpack-entries'))
  end)
  describe('of a cluster', function()
    server { cluster = true, config = { maxmemory = '10mb' } }
    it('refuse keys of several slots', function()
      assert.error_matches(function() redis.call('MSET', 'a', 1, 'b', 2) end, 'CROSSSLOT')
      assert.are.same({ 'maxmemory', '10485760' }, redis.call('CONFIG', 'GET', 'maxmemory'))
    end)
  end)
  describe('with rollback', function()
    server { rollback = true }
    it('leave nothing of a failed script', function()
      local s = script("redis.call('SET', 'a', 1) return redis.call('LPUSH', 'a', 1)")
      assert.are.equal('WRONGTYPE', s:prun().code)
      assert.keyspace {}
    end)
  end)
  describe('with one slot', function()
    server { one_slot = true }
    it('refuse scripts with keys of several slots', function()
      assert.error_matches(function() script('return 1'):run({ 'a', 'b' }) end, 'CROSSSLOT')
    end)
  end)
end)

-- Scripts of BullMQ run from their sources, which include others.
local dir = '../npm/node_modules/bullmq/dist/esm/commands/'
describe('addLog', function()
  it('needs a job', function()
    assert.are.equal(-1, script(dir .. 'addLog-2.lua'):run({'j', 'l'}, {'1', 'x', ''}))
  end)
  it('keeps logs', function()
    redis.call('HSET', 'j', 'a', 1)
    for i = 1, 5 do
      script(dir .. 'addLog-2.lua'):run({'j', 'l'}, {'1', 'x' .. i, 3})
    end
    assert.are.same({'x3', 'x4', 'x5'}, redis.call('LRANGE', 'l', 0, -1))
  end)
end)
describe('extendLock', function()
  it('extends', function()
    redis.call('SET', 'lock', 'tok')
    redis.call('SADD', 'stalled', '1')
    assert.are.equal(
      1,
      script(dir .. 'extendLock-2.lua'):run({'lock', 'stalled'}, {'tok', 1000, '1'})
    )
    assert.are.equal(0, redis.call('SCARD', 'stalled'))
  end)
end)
describe('addStandardJob', function()
  it('adds', function()
    local keys = {}
    for i, k in ipairs{
      'wait',
      'paused',
      'meta',
      'id',
      'completed',
      'delayed',
      'active',
      'events',
      'marker',
    } do
      keys[i] = 'bull:q:' .. k
    end
    local args = cmsgpack.pack({'bull:q:', '', 'job', 1700000000000})
    local id = script(dir .. 'addStandardJob-9.lua'):run(keys, {args, '{}', cmsgpack.pack({})})
    assert.are.equal('1', id)
    assert.are.same({'1'}, redis.call('LRANGE', 'bull:q:wait', 0, -1))
  end)
end)
describe('getCounts', function()
  it('counts', function()
    redis.call('LPUSH', 'bull:q:wait', 1, 2)
    assert.are.same({2}, script(dir .. 'getCounts-1.lua'):run({'bull:q:'}, {'wait'}))
  end)
end)
describe('addPrioritizedJob', function()
  it('adds', function()
    local keys = {}
    for i, k in ipairs{
      'marker',
      'meta',
      'id',
      'prioritized',
      'delayed',
      'completed',
      'active',
      'events',
      'pc',
    } do
      keys[i] = 'bull:q:' .. k
    end
    local id = script(dir .. 'addPrioritizedJob-9.lua'):run(keys, {
      cmsgpack.pack({'bull:q:', '', 'job', 1700000000000}),
      '{}',
      cmsgpack.pack({priority = 3}),
    })
    assert.are.equal('1', id)
    assert.are.same({'1'}, redis.call('ZRANGE', 'bull:q:prioritized', 0, -1))
  end)
end)

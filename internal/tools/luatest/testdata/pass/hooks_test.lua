-- The order of the functions around tests, as in busted.
local log = {}
local function note(text)
  return function() log[#log + 1] = text end
end

describe('order', function()
  setup(note 'setup')
  teardown(note 'teardown')
  before_each(note 'before')
  before_each(note 'before 2')
  after_each(note 'after')

  it('one', note 'one')

  describe('inner', function()
    setup(note 'inner setup')
    teardown(note 'inner teardown')
    before_each(note 'inner before')
    after_each(note 'inner after')
    after_each(note 'inner after 2')
    it('two', note 'two')
    it('three', function()
      finally(note 'finally')
      finally(note 'finally 2')
      log[#log + 1] = 'three'
    end)
  end)

  test('four', note 'four')
end)

describe('the order', function()
  it('was that of busted', function()
    assert.are.same({
      'setup',
      'before', 'before 2', 'one', 'after',
      'inner setup',
      'before', 'before 2', 'inner before', 'two', 'inner after', 'inner after 2', 'after',
      'before', 'before 2', 'inner before', 'three', 'finally 2', 'finally', 'inner after', 'inner after 2', 'after',
      'inner teardown',
      'before', 'before 2', 'four', 'after',
      'teardown',
    }, log)
  end)
end)

describe('the words', function()
  local ran = {}
  context('context', function()
    spec('spec', function() ran.spec = true end)
  end)
  expose('expose', function()
    it('it', function() ran.it = true end)
  end)
  insulate('insulate', function()
    it('it', function() ran.insulate = true end)
  end)
  insulate(function()
    it('needs no name', function() ran.insulate2 = true end)
  end)
  it('are all there', function()
    assert.are.same({ spec = true, it = true, insulate = true, insulate2 = true }, ran)
  end)
  it('that add tests do not work in a test', function()
    for _, word in ipairs({ 'describe', 'context', 'it', 'test', 'spec', 'setup', 'teardown', 'before_each', 'after_each',
      'insulate', 'expose', 'server' }) do
      assert.error_matches(function() _G[word]('name', function() end) end, word .. ' does not work inside a test')
    end
  end)
end)

describe('mistakes', function()
  local errors = {}
  local function try(f, ...)
    local ok, err = pcall(f, ...)
    errors[#errors + 1] = ok or err
  end
  try(describe)
  try(describe, 'name')
  try(it, {}, function() end)
  try(it, 'name', 1)
  try(before_each, 'name')
  try(finally, function() end)
  try(server, { cluster = 1 })
  try(server, { nosuch = 1 })
  try(redis.call, 'GET', 'k')
  it('are named', function()
    assert.are.same({
      "bad argument #1 to '?' (name expected)",
      "bad argument #2 to '?' (function expected)",
      "bad argument #1 to '?' (name expected)",
      "bad argument #2 to '?' (function expected)",
      "bad argument #1 to '?' (function expected)",
      'finally works in a test',
      'server: cluster must be true or false',
      'server has no field nosuch; it has server, cluster, one_slot, rollback, config',
      'there is no Redis here: every test has an engine of its own; use it in a test, before_each, after_each or setup',
    }, errors)
  end)
end)

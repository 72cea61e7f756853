-- What the assertions of luassert accept and refuse.

-- refuses calls an assertion that must fail, and returns its message.
local function refuses(f)
  local ok, err = pcall(f)
  if ok then
    error('the assertion holds', 2)
  end
  return (tostring(err):gsub('^[^\n]-:%d+: ', ''))
end

describe('assert', function()
  it('can be called', function()
    assert(true)
    assert.are.equal(2, select('#', assert(1, 'message')))
    assert.are.equal('assertion failed!', refuses(function() assert(false) end))
    assert.are.equal('the message', refuses(function() assert(nil, 'the message') end))
    assert.has_error(function() assert(nil, { code = 1 }) end, { code = 1 })
    assert.has_error(function() assert() end)
  end)

  it('has chains in any style', function()
    assert.is_true(true)
    assert.is.True(true)
    assert.True(true)
    assert.is_not_true(false)
    assert.is_not.True(false)
    assert.is.not_true(false)
    assert.not_true(false)
    assert.no.is_true(false)
    assert.are_not.equal(1, 2)
    assert.are.not_equal(1, 2)
    assert.not_equals(1, 2)
    assert.is_not_not_true(true)
    assert.has.no.errors(function() end)
    assert.has_no.errors(function() end)
    assert.has_no_error(function() end)
    assert.does_not.match('a', 'b')
    local are = assert.are
    are.equal(1, 1)
    are.same({}, {})
  end)

  it('names words that do not exist', function()
    assert.has_error(function() assert.is_wrong(1) end, 'assert has no assertion or modifier "wrong"')
    assert.has_error(function() assert.is(1) end, 'assert.is is a modifier: an assertion must follow')
    assert.has_error(function() assert.equal(1) end, 'assert.equal needs at least 2 arguments, got 1')
  end)

  it('returns its arguments', function()
    assert.are.equal('x', assert.is_string('x'))
    assert.are.equal(3, select('#', assert.are.equal(1, 1, 'message')))
  end)

  it('shows a message', function()
    assert.are.equal('my message\nexpected true, found false', refuses(function() assert.is_true(false, 'my message') end))
    assert.are.equal('my message\nexpected true, found false', refuses(function() assert.message('my message').is_true(false) end))
    assert.are.equal('own\nexpected to be equal:\n  expected: 1\n     found: 2', refuses(function() assert.are.equal(1, 2, 'own') end))
  end)
end)

describe('equals', function()
  it('compares as == does', function()
    local t = {}
    assert.are.equal(t, t)
    assert.equals('a', 'a')
    assert.are_not.equal({}, {})
    assert.are_not.equal(1, '1')
    assert.are_not.equal(nil, false)
    assert.equal(nil, nil)
    local meta = { __eq = function(a, b) return a.id == b.id end }
    assert.are.equal(setmetatable({ id = 1 }, meta), setmetatable({ id = 1 }, meta))
    assert.are_not.equal(setmetatable({ id = 1 }, meta), setmetatable({ id = 2 }, meta))
  end)
  it('says what differs', function()
    assert.are.equal('expected to be equal:\n  expected: 1\n     found: "1"\nOne is a number, the other a string: Redis keeps strings.',
      refuses(function() assert.are.equal(1, '1') end))
    assert.are.equal('expected to be equal:\n  expected: nil\n     found: false\nA nil reply of Redis is false in Lua.',
      refuses(function() assert.are.equal(nil, false) end))
    assert.are.equal('expected to differ from 1 (a number)', refuses(function() assert.are_not.equal(1, 1) end))
    assert.matches('are%.same would accept', refuses(function() assert.are.equal({}, {}) end))
  end)
end)

describe('same', function()
  it('compares content', function()
    assert.are.same({ 1, { a = 'b' } }, { 1, { a = 'b' } })
    assert.are_not.same({ 1, { a = 'b' } }, { 1, { a = 'c' } })
    assert.are_not.same({ 1 }, { 1, 2 })
    assert.are_not.same({ 1, 2 }, { 1 })
    assert.same(1, 1)
    assert.are_not.same(1, '1')
    local a, b = {}, {}
    a.self, b.self = a, b
    assert.are.same(a, b)
  end)
  it('shows a diff', function()
    assert.are.equal([[expected to be the same:
- expected   + found
  {
    1,
-   "b",
+   "x",
    {
-     key = true,
+     key = false,
    },
  }]], refuses(function() assert.are.same({ 1, 'b', { key = true } }, { 1, 'x', { key = false } }) end))
  end)
  it('refuses tables that are nested too deeply', function()
    local a, b = {}, {}
    for _ = 1, 5000 do a, b = { a }, { b } end
    assert.has_error(function() assert.are.same(a, b) end, 'tables are nested more than 2000 levels deep')
  end)
end)

describe('conditions', function()
  it('hold', function()
    assert.is_truthy(0)
    assert.is_truthy('')
    assert.truthy({})
    assert.is_falsy(nil)
    assert.falsy(false)
    assert.is_true(true)
    assert.is_not_true(1)
    assert.is_false(false)
    assert.is_not_false(nil)
    assert.is_nil(nil)
    assert.is_not_nil(false)
    assert.is_boolean(false)
    assert.is_number(1)
    assert.is_string('1')
    assert.is_table({})
    assert.is_function(print)
    assert.is_thread(coroutine.create(function() end))
    assert.is_userdata(cjson.null)
    assert.is_callable(print)
    assert.is_callable(setmetatable({}, { __call = print }))
    assert.is_not_callable({})
    assert.is_not_string(1)
    assert.is_not_number('1')
  end)
  it('say what they have found', function()
    for text, f in pairs({
      ['expected a string, found 1 (a number)'] = function() assert.is_string(1) end,
      ['expected a table, found nil'] = function() assert.is_table(nil) end,
      ['did not expect a table, found {} (a table)'] = function() assert.is_not_table({}) end,
      ['expected a value that is neither nil nor false, found nil'] = function() assert.is_truthy() end,
      ['expected nil, found false\nA nil reply of Redis is false in Lua.'] = function() assert.is_nil(false) end,
      ['did not expect nil, found nil'] = function() assert.is_not_nil(nil) end,
      ['expected false, found a function'] = function() assert.is_false(print) end,
    }) do
      assert.are.equal(text, refuses(f))
    end
  end)
end)

describe('near', function()
  it('allows a tolerance', function()
    assert.is.near(1.0, 1.05, 0.1)
    assert.near(10, 9, 1)
    assert.is_not.near(1, 2, 0.5)
    assert.are.equal('expected a number within 0.5 of 1, found 2', refuses(function() assert.is.near(1, 2, 0.5) end))
    assert.has_error(function() assert.near(1, '2', 3) end, 'argument 2 of assert.near must be a number, not "2" (a string)')
  end)
end)

describe('unique', function()
  it('finds equal values', function()
    assert.are.unique({ 1, 2, 3 })
    assert.unique({ {}, {} })
    assert.is_not.unique({ 1, 2, 1 })
    assert.is_not.unique({ { 1 }, { 1 } }, true)
    assert.unique({ { 1 }, { 2 } }, true)
    assert.matches('this one occurs twice: 1$', refuses(function() assert.unique({ 1, 1 }) end))
  end)
end)

describe('matches', function()
  it('uses patterns of Lua', function()
    assert.matches('^a%d+$', 'a12')
    assert.has.match('b', 'abc')
    assert.does_not.match('^b', 'abc')
    assert.matches('(', 'a(b', 1, true)
    assert.matches('1', 213)
    assert.are.equal('12', assert.matches('(%d+)', 'a12'))
    assert.are.equal('expected a text that matches "x", found "abc"', refuses(function() assert.matches('x', 'abc') end))
    assert.has_error(function() assert.matches('(', 'abc') end, 'unfinished capture')
  end)
end)

describe('error', function()
  local function fails(value, level)
    return function() error(value, level) end
  end
  it('catches errors', function()
    assert.has_error(fails('boom'))
    assert.has_error(fails('boom'), 'boom')
    assert.has.errors(fails('boom', 0), 'boom')
    assert.has_error(fails({ code = 1 }), { code = 1 })
    assert.has_error(fails(nil))
    assert.has_error(fails(setmetatable({}, { __tostring = function() return 'shown' end })), 'shown')
    assert.has_error(fails({ err = 'ERR no' }), 'ERR no')
    assert.has_no.errors(function() end)
    assert.are.equal('boom', assert.has_error(fails('boom')))
    assert.are.same({ 1 }, assert.has_error(fails({ 1 })))
    assert.has_no.error(fails('boom'), 'other')
  end)
  it('matches patterns', function()
    assert.error_matches(fails('boom 12'), 'boom %d+')
    assert.has.error_match(fails('boom 12'), '^boom')
    assert.matches_error(fails('boom'), 'boom')
    assert.is_not.error_matches(fails('boom'), 'bang')
    assert.is_not.error_matches(function() end, 'bang')
    assert.error_matches(fails({ err = 'WRONGTYPE x' }), '^WRONGTYPE')
    assert.error_matches(fails('a(b'), '(', 1, true)
  end)
  it('says what it has found', function()
    assert.are.equal('expected an error, but there was none', refuses(function() assert.has_error(function() end) end))
    assert.are.equal('did not expect an error, but it failed with: boom', refuses(function() assert.has_no.errors(fails('boom')) end))
    assert.are.equal('expected another error:\n  expected: "bang"\n     found: "boom"',
      refuses(function() assert.has_error(fails('boom'), 'bang') end))
    assert.are.equal('expected an error that matches "x", found: boom', refuses(function() assert.error_matches(fails('boom'), 'x') end))
    assert.has_error(function() assert.has_error('text') end, 'argument 1 of assert.error must be a function, not "text" (a string)')
  end)
end)

describe('other assertions', function()
  it('count values', function()
    assert.returned_arguments(2, 'a', nil)
    assert.returned_arguments(0)
    assert.is_not.returned_arguments(1, 'a', 'b')
    assert.are.equal('expected 1 values, found 2', refuses(function() assert.returned_arguments(1, 'a', 'b') end))
  end)
  it('find holes', function()
    assert.array({ 1, 2, 3 }).has.no.holes()
    assert.array({ 1, nil, 3 }).has.holes()
    assert.array({ 1, 2 }).has.holes(3)
    assert.are.equal('did not expect a hole, found one at index 2', refuses(function() assert.array({ 1, nil, 3 }).has.no.holes() end))
  end)
  it('can be added', function()
    assert:register('assertion', 'even', function(state, args) return args[1] % 2 == 0 end, 'expected %s to be even', 'expected %s to be odd')
    assert.is_even(2)
    assert.is_not_even(3)
    assert.are.equal('expected 3 to be even', refuses(function() assert.is_even(3) end))
    assert.are.equal('expected 2 to be odd', refuses(function() assert.is_not_even(2) end))
    assert:unregister('assertion', 'even')
    assert.has_error(function() assert.is_even(2) end)
  end)
end)

package debugger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
)

// nested calls a function twice in one line.
const nested = `local function f(n)
  local b = n + 1
  return b
end
local x = f(1)
local y = f(x) + f(2)
return {x, y}`

const tailCalls = `local function g(n)
  local m = n
  return m
end
local function f(n)
  local k = n
  return g(k)
end
local x = f(1)
return x`

const recursion = `local function fact(n)
  if n == 0 then return 1 end
  local r = fact(n - 1)
  return n * r
end
local x = fact(3)
return x`

const generator = `local co = coroutine.wrap(function(a)
  local b = a
  coroutine.yield(b)
  b = b + 1
  return b
end)
local x = co(1)
local y = co()
return {x, y}`

const nestedYield = `local function emit(v)
  coroutine.yield(v)
  return v
end
local co = coroutine.create(function()
  emit(1)
  emit(2)
end)
coroutine.resume(co)
coroutine.resume(co)
return coroutine.status(co)`

const twoCoroutines = `local function body(n)
  n = n + 1
  coroutine.yield(n)
  n = n + 1
  return n
end
local a, b = coroutine.wrap(body), coroutine.wrap(body)
a(1) b(2)
a() b()
return 0`

const caught = `local function bad()
  local t = nil
  error('no')
end
local function outer()
  bad()
  return 1
end
local ok = pcall(outer)
return tostring(ok)`

const callbacks = `local s = string.gsub('ab', '.', function(c)
  local up = string.upper(c)
  return up
end)
local t = {3, 1, 2}
table.sort(t, function(x, y)
  return x < y
end)
local m = setmetatable({}, {__index = function(_, k)
  return k
end})
return s .. m.z`

const loop = `local n = 0
for i = 1, 3 do
  n = n + i
end
return n`

// looping begins with a line to which it jumps back.
const looping = `local function f(n)
  while n() < 3 do
    n(1)
  end
end
local c = 0
f(function(by)
  c = c + (by or 0)
  return c
end)
return c`

// TestSteps gives orders to scripts that are stopped at their first line.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, script, orders, want string }{
		{"in goes into functions", nested, "in; in; in; in; in; in; in; in; in; in",
			`4 entry, 5 step, 2 step, 3 step, 6 step, 2 step, 3 step, 2 step, 3 step, 7 step, end [2 6]`},
		{"over goes over calls", nested, "over; over; over; over", `4 entry, 5 step, 6 step, 7 step, end [2 6]`},
		{"over goes to the caller at the end of a function", nested, "in; in; in; over; in; over; over",
			`4 entry, 5 step, 2 step, 3 step, 6 step, 2 step, 3 step, 7 step`},
		{"out goes to the caller's next line", nested, "in; in; out; in; out; go",
			`4 entry, 5 step, 2 step, 6 step, 2 step, 7 step, end [2 6]`},
		{"over goes over a tail call", tailCalls, "over; over; in; over; over; over",
			`4 entry, 8 step, 9 step, 6 step, 7 step, 10 step, end 1`},
		{"in goes into a tail call", tailCalls, "over; over; in; over; in; over; over; over",
			`4 entry, 8 step, 9 step, 6 step, 7 step, 2 step, 3 step, 10 step, end 1`},
		{"out of what a tail call began", tailCalls, "over; over; in; over; in; out; over",
			`4 entry, 8 step, 9 step, 6 step, 7 step, 2 step, 10 step, end 1`},
		{"over goes over recursion", recursion, "over; in; over; over; over; over; over",
			`5 entry, 6 step, 2 step, 3 step, 4 step, 7 step, end 6, the script has ended`},
		{"out of recursion goes one level", recursion, "over; in; in; in; in; in; out; out; out; out",
			`5 entry, 6 step, 2 step, 3 step, 2 step, 3 step, 2 step, 4 step, 4 step, 7 step, end 6`},
		{"over goes over a coroutine", generator, "over; over; over; over; over; over",
			`1 entry, 6 step, 1 step, 7 step, 8 step, 9 step, end [1 2]`},
		{"over a yield goes to who resumed", generator, "over; over; over; in; over; over; in; over; over",
			`1 entry, 6 step, 1 step, 7 step, 2 step, 3 step, 8 step, 4 step, 5 step, 9 step`},
		{"in goes on in a coroutine", generator, "over; in; in; in; in; in; in; in; in",
			`1 entry, 6 step, 1 step, 7 step, 2 step, 3 step, 8 step, 4 step, 5 step, 9 step`},
		{"out of a coroutine goes to who resumed", generator, "over; over; over; in; out; in; out; go",
			`1 entry, 6 step, 1 step, 7 step, 2 step, 8 step, 4 step, 9 step, end [1 2]`},
		{"over goes over a function that yields", nestedYield, "over; over; over; over; in; over; in; over; over",
			`4 entry, 5 step, 8 step, 5 step, 9 step, 6 step, 10 step, 3 step, 7 step, 11 step`},
		{"over a yield of a function within a coroutine", nestedYield,
			"over; over; over; over; in; in; over; in; over; over; over",
			`4 entry, 5 step, 8 step, 5 step, 9 step, 6 step, 2 step, 10 step, 3 step, 7 step, 11 step, end suspended`},
		{"out of a function that yields", nestedYield, "over; over; over; over; in; in; out; in; out; over; over",
			`4 entry, 5 step, 8 step, 5 step, 9 step, 6 step, 2 step, 10 step, 3 step, 7 step, 11 step, end suspended`},
		{"over does not stop in another coroutine", twoCoroutines, "over; over; in; over; over; in; over; over; over",
			`6 entry, 7 step, 8 step, 2 step, 3 step, 9 step, 4 step, 5 step, 10 step, end 0`},
		{"over goes on where an error is caught", caught, "over; over; in; in; in; over; over",
			`4 entry, 8 step, 9 step, 6 step, 3 step, 10 step, end false, the script has ended`},
		{"out goes on where an error is caught", caught, "over; over; in; in; out; over",
			`4 entry, 8 step, 9 step, 6 step, 3 step, 10 step, end false`},
		{"in goes into callbacks", callbacks, "in; in; in; in; in; in; in; in; in; in; in; in; in; in; in; in; in; in",
			`1 entry, 4 step, 1 step, 2 step, 3 step, 2 step, 3 step, 5 step, 6 step, 8 step, 6 step, 7 step, ` +
				`7 step, 9 step, 11 step, 9 step, 12 step, 10 step, end ABz`},
		{"over goes over callbacks", callbacks, "over; over; over; over; over; over; over",
			`1 entry, 4 step, 1 step, 5 step, 6 step, 8 step, 6 step, 9 step`},
		{"over goes round a loop", loop, "over; over; over; over; over; over; over; over; over",
			`1 entry, 2 step, 3 step, 2 step, 3 step, 2 step, 3 step, 2 step, 5 step, end 6`},
		{"a loop at the beginning of a function is none of its calls", looping,
			"in; in; in; in; in; over; over; over; over; over; over; over; over",
			`5 entry, 6 step, 7 step, 10 step, 7 step, 2 step, 3 step, 2 step, 3 step, 2 step, 3 step, 2 step, 5 step, 11 step`},
		{"a script that ends is over", "return 1", "over; over; in; out; go",
			`1 entry, end 1, the script has ended, the script has ended, the script has ended, the script has ended`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, newEngine(t), c.script, debugger.Options{Sync: true, StopOnEntry: true})
			require.Equal(t, c.want, joined(p.play(c.orders)))
		})
	}
}

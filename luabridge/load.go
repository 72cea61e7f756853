package luabridge

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// chunks compiles the texts that scripts load while they run, and remembers where the functions of
// these texts come from. It belongs to the goroutine of its VM.
type chunks struct {
	vm     *VM
	loaded debugInfo // the functions of the texts that the running script has loaded
}

// remember notes that the functions of a compiled text come from a chunk with this name. from is
// nil if the text is not to be kept.
func (c *chunks) remember(compiled code, name string, from *text) {
	if c.loaded == nil {
		c.loaded = debugInfo{}
	}
	for p, o := range compiled.debug {
		o.chunk, o.text = args.CString(name), from
		c.loaded[p] = o
	}
}

// bytes returns the length of the texts that are remembered.
func (c *chunks) bytes() (sum int) {
	counted := map[*text]bool{}
	for _, o := range c.loaded {
		if o.text != nil && !counted[o.text] {
			counted[o.text] = true
			sum += len(o.text.source) + len(o.text.name)
		}
	}
	return sum
}

// loadString is loadstring(text [, name]).
func (c *chunks) loadString(L *lua.LState) int {
	s := c.vm.lib.Text(L, 1)
	return c.loadChunk(L, s, c.vm.lib.OptionalText(L, 2, s))
}

// load is load(function [, name]). The function returns the text in pieces.
func (c *chunks) load(L *lua.LState) int {
	name := c.vm.lib.OptionalText(L, 2, "=(load)")
	fn := c.vm.lib.Function(L, 1)
	L.SetTop(1)
	source, failure := c.readPieces(L, fn, name)
	if failure == nil {
		return c.loadChunk(L, source, name)
	}
	L.Push(lua.LNil)
	L.Push(failure)
	return 2
}

// checkedPieces is the number of pieces after each of which the text is checked for mistakes. Later
// the text is checked when the number of pieces has doubled, so that many pieces cost little.
const checkedPieces = 32

// readPieces calls a reader function until it returns nil or the empty string, or the text has a
// mistake: Lua compiles while it reads. failure is the error value of the reader, or nil.
func (c *chunks) readPieces(L *lua.LState, fn *lua.LFunction, name string) (source string, failure lua.LValue) {
	var b strings.Builder
	for pieces := 0; ; pieces++ {
		L.SetTop(1)
		c.vm.handler = c.vm.handlerOn(L)
		th, err := c.vm.protected(L, 1, 1)
		if err != nil {
			c.vm.release(th)
			return b.String(), c.failed(L, err.(*lua.ApiError).Object, c.vm.noted.source, c.vm.noted.line)
		}
		piece := th.Get(1)
		c.vm.release(th)
		s, ok := args.Text(piece)
		switch {
		case !ok && piece != lua.LNil:
			return b.String(), c.failedHere(L, c.vm.where(L, 1)+"reader function must return a string")
		case s == "" && pieces > 0: // Lua reads the first piece twice
			return b.String(), nil
		}
		b.WriteString(s)
		c.vm.limits.Spend(L, int64(1+len(s)))
		if (pieces&(pieces-1) == 0 || pieces < checkedPieces) && b.Len() < longChunk {
			var mistake *syntax.Error
			if _, err := luac.Compile(b.String(), name, luac.Options{Depth: c.vm.machine.Nesting().Depth()}); errors.As(err, &mistake) &&
				!mistake.More {
				return b.String(), nil
			}
		}
		c.vm.limits.Poll(L)
	}
}

// failed returns what load makes of an error that was raised at a position: what the error handler
// that is in force returns for it.
func (c *chunks) failed(L *lua.LState, v lua.LValue, source string, line int) lua.LValue {
	handler := c.vm.handlerOn(L)
	if handler == nil {
		return v
	}
	if handler != c.vm.common.handler {
		return c.vm.handled(L, handler, v)
	}
	return c.vm.handledByRedis(L, v, source, line)
}

// failedHere is failed for an error that the running function raises itself.
func (c *chunks) failedHere(L *lua.LState, text string) lua.LValue {
	source, line := c.vm.position(L)
	return c.failed(L, lua.LString(text), source, line)
}

// loadChunk pushes what loadstring returns for a text.
func (c *chunks) loadChunk(L *lua.LState, source, name string) int {
	compiled, err := c.compile(L, source, name)
	if err != nil {
		L.Push(lua.LNil)
		if unplaced(err) {
			L.Push(c.failedHere(L, err.Error()))
		} else {
			L.Push(lua.LString(err.Error()))
		}
		return 2
	}
	c.remember(compiled, name, &text{source, name})
	L.Push(L.NewFunctionFromProto(compiled.proto))
	return 1
}

// loadedSize is the approximate minimal size of a compiled text in bytes.
const loadedSize = 2048

// largePiece is the number of bytes for which the compilation of a long text asks at a time.
const largePiece = 1 << 20

// longChunk is the length in bytes from which a text takes long to compile.
const longChunk = LongText

// compile compiles the text of a chunk for the running script, on its goroutine. The
// compilation of a long text counts as the script's memory, and it serves other clients meanwhile.
func (c *chunks) compile(L *lua.LState, source, name string) (code, error) {
	o := luac.Options{Depth: c.vm.machine.Nesting().Depth()}
	if len(source) >= longChunk {
		c.vm.limits.Spend(L, int64(len(source)))
		o.Poll = func() error { c.vm.limits.Poll(L); return nil }
		total, reserved := 0, 0 // bytes allocated so far, all in use
		o.Reserve = func(n int) error {
			if total += n; total-reserved >= largePiece {
				reserved = total
				c.vm.limits.Budget.Ask(L, total)
			}
			return nil
		}
	}
	if len(source) <= LongText {
		c.vm.limits.Budget.Ask(L, loadedSize+bytesPerByte*len(source))
	}
	return compileChunk(c.vm.environment(), source, name, o)
}

// Number of bytes of a chunk's name that Lua shows: less at run time than in syntax errors.
const (
	runtimeName = 60
	syntaxName  = 80
)

func compileChunk(env *machine.Environment, source, name string, o luac.Options) (code, error) {
	shown := displayName(name, runtimeName)
	c, err := compileIn(env, source, shown, o)
	if long := displayName(name, syntaxName); err != nil && long != shown {
		_, err = compileIn(env, source, long, o)
	}
	return c, err
}

// displayName returns a chunk's name as error positions show it (luaO_chunkid in Lua). room
// includes C's final NUL.
func displayName(name string, room int) string {
	name = args.CString(name)
	if name != "" && name[0] == '=' {
		return name[1:min(len(name), room)]
	}
	if name != "" && name[0] == '@' {
		if name = name[1:]; len(name) > room-8 {
			name = "..." + name[len(name)-(room-8):]
		}
		return name
	}
	line, _, more := strings.Cut(name, "\n")
	if i := strings.IndexByte(line, '\r'); i >= 0 {
		line, more = line[:i], true
	}
	most := room - len(` [string "..."] `) - 1
	if len(line) > most {
		line, more = line[:most], true
	}
	if more {
		line += "..."
	}
	return fmt.Sprintf("[string %q]", rawQuoted(line))
}

// rawQuoted is a string that %q prints as it is.
type rawQuoted string

// Format implements [fmt.Formatter].
func (r rawQuoted) Format(f fmt.State, _ rune) { fmt.Fprintf(f, `"%s"`, string(r)) }

package repl_test

import (
	"context"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
)

// sleepy is a typist who ignores news while typing. The line "@" runs a script of another client
// and waits until the dialogue is woken.
type sleepy struct {
	typist
	e     *engine.Engine
	woken chan struct{}
	ended chan engine.Value

	call   func() (engine.Value, error) // of the other client; nil: a script
	change func()                       // what the line "change" does
}

func (p *sleepy) ReadLine(a lineedit.Assistant) (string, error) {
	line, err := p.typist.ReadLine(a)
	if line == "change" {
		p.change()
		return "", err
	}
	if line == "@" {
		call := p.call
		if call == nil {
			call = func() (engine.Value, error) {
				return p.e.Eval(context.Background(), "redis.breakpoint()\nlocal n = redis.call('INCR', 'n')\nreturn n", nil)
			}
		}
		go func() {
			v, _ := call()
			p.ended <- v
		}()
		<-p.woken
		return "", err
	}
	return line, err
}

func (p *sleepy) Wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// TestAScriptOfAnotherClientBlocksTheEngine stops a client's script before the engine runs the
// dialogue's own command.
func TestAScriptOfAnotherClientBlocksTheEngine(t *testing.T) {
	path := scriptFile(t, "redis.call('INCR', 'own')\nreturn 'own'\n")
	for _, line := range []string{"get n", "eval 'return 1' 0", ":run", ":debug", ":debug --sync", ":snapshot", ":diff", ":keys", "= 1"} {
		t.Run(line, func(t *testing.T) {
			e, err := engine.New(engine.Options{})
			require.NoError(t, err)
			defer e.Close()
			sess, err := e.NewSession()
			require.NoError(t, err)
			var out strings.Builder
			p := &sleepy{typist: typist{[]string{":load " + path, ":run", "@", line, "= 40 + 2", "get n", ":abort", "get own"}, &out}, e: e,
				woken: make(chan struct{}, 1), ended: make(chan engine.Value, 1)}
			_ = repl.Run(repl.Options{
				Lines: p, Backend: &backend.Local{Engine: e, Session: sess}, Commands: e.Commands(), Out: &out, Proto: 2, Attach: true,
				Print: func(b []byte, _ []string, v engine.Value) []byte { return display.Standard(b, v) },
			})
			v := <-p.ended
			require.True(t, v.IsError(), v.Text())
			got := out.String()
			says(t, got, "redis.breakpoint(), script ", "> = 40 + 2\n42\n", "> get n\n(nil)\n", "> :abort\n", "get own\n")
		})
	}
}

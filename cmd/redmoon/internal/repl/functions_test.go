package repl_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
)

// A breakpoint in the text of a library does not stop the dialogue that loads it, and stops a
// function that another client calls.
func TestFunctionsOfOtherClients(t *testing.T) {
	const text = "#!lua name=l\nlocal n = 0\nredis.register_function('f', function()\n  n = n + 1\n  return n\nend)\n"
	path := scriptFile(t, text)
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	sess, err := e.NewSession()
	require.NoError(t, err)
	var out strings.Builder
	lines := []string{":load " + path, ":break 2", ":break 4", "change", ":load", "@", "get k", ":locals", "n", ":continue"}
	p := &sleepy{typist: typist{lines, &out}, e: e,
		woken: make(chan struct{}, 1), ended: make(chan engine.Value, 1)}
	p.call = func() (engine.Value, error) { return e.FCall(context.Background(), "f", nil) }
	p.change = func() { require.NoError(t, os.WriteFile(path, []byte(text+"-- changed\n"), 0o644)) }
	_ = repl.Run(repl.Options{
		Lines: p, Backend: &backend.Local{Engine: e, Session: sess}, Commands: e.Commands(), Out: &out, Proto: 2, Attach: true,
		Print: func(b []byte, _ []string, v engine.Value) []byte { return display.Standard(b, v) },
	})
	require.Equal(t, "1", (<-p.ended).Text())
	got := out.String()
	says(t, got, "7 lines", "breakpoint, "+filepath.Base(path)+":4, script of")
	require.NotContains(t, got, "Error registering functions")
}

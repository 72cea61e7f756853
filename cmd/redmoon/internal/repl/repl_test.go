package repl_test

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

// typist types lines. It writes the prompts and the lines where the replies go, as a terminal shows
// them. The line ^C stands for Ctrl-C.
type typist struct {
	lines []string
	out   *strings.Builder
}

func (p *typist) ReadLine(a lineedit.Assistant) (string, error) {
	line := ""
	for {
		p.out.WriteString(a.Prompt())
		if len(p.lines) == 0 {
			return "", io.EOF
		}
		line += p.lines[0]
		p.out.WriteString(p.lines[0] + "\n")
		p.lines = p.lines[1:]
		if line == "^C" {
			return "", lineedit.ErrInterrupt
		}
		if a.Finished(line) {
			return line, nil
		}
		line += "\n"
	}
}

func (p *typist) Wake() {}

// dialogue returns what a terminal shows after the lines.
func dialogue(t *testing.T, lines ...string) string {
	t.Helper()
	text, err := talk(t, lines...)
	if !errors.Is(err, repl.ErrFailed) {
		require.NoError(t, err)
	}
	return text
}

// talk is like dialogue, and also returns the error of the dialogue.
func talk(t *testing.T, lines ...string) (string, error) {
	t.Helper()
	clock := backend.NewClock()
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	sess, err := e.NewSession()
	require.NoError(t, err)
	var out strings.Builder
	err = repl.Run(repl.Options{
		Lines: &typist{lines, &out}, Backend: &backend.Local{Engine: e, Session: sess,
			Clock: clock}, Commands: e.Commands(), Out: &out, Proto: 2,
		Print: func(b []byte, _ []string, v engine.Value) []byte { return display.Standard(b, v) },
	})
	require.NoError(t, e.Check(t.Context()))
	return regexp.MustCompile(`("id" => \(integer\)) \d+`).ReplaceAllString(out.String(), "$1 N"), err
}

func TestPromptFollowsTheSession(t *testing.T) {
	require.Equal(t, `redmoon> select 3
OK
redmoon[3]> multi
OK
redmoon[3](TX)> select 4
QUEUED
redmoon[4](TX)> exec
1) OK
redmoon[4]> multi
OK
redmoon[4](TX)> SELECT 5
QUEUED
redmoon[5](TX)> discard
OK
redmoon[4]> multi
OK
redmoon[4](TX)> select 6
QUEUED
redmoon[6](TX)> nosuch
(error) ERR unknown command 'nosuch', with args beginning with: 
redmoon[6](TX)> exec
(error) EXECABORT Transaction discarded because of previous errors.
redmoon[4]> select 99
(error) ERR DB index is out of range
redmoon[4]> multi x
(error) ERR wrong number of arguments for 'multi' command
redmoon[4]> multi
OK
redmoon[4](TX)> reset
RESET
redmoon> `, dialogue(t, "select 3", "multi", "select 4", "exec", "multi", "SELECT 5", "discard", "multi", "select 6", "nosuch", "exec",
		"select 99", "multi x", "multi", "reset"))
}

func TestRepliesFollowTheProtocol(t *testing.T) {
	require.Equal(t, `redmoon> hset h f 1.5
(integer) 1
redmoon> hgetall h
1) "f"
2) "1.5"
redmoon> hello 3 setname x
1# "server" => "redis"
2# "version" => "7.0.15"
3# "proto" => (integer) 3
4# "id" => (integer) N
5# "mode" => "standalone"
6# "role" => "master"
7# "modules" => (empty array)
redmoon> hgetall h
1# "f" => "1.5"
redmoon> reset
RESET
redmoon> hgetall h
1) "f"
2) "1.5"
redmoon> `, dialogue(t, "hset h f 1.5", "hgetall h", "hello 3 setname x", "hgetall h", "reset", "hgetall h"))
}

func TestLinesWithoutACommand(t *testing.T) {
	require.Equal(t, "redmoon> ^C\nredmoon> \nredmoon> 2 echo \"a b\"\n\"a b\"\n\"a b\"\nredmoon> 0 "+
		"ping\nInvalid repeat count: it must be above 0.\n"+
		"redmoon> echo \"a\nInvalid argument(s)\nredmoon> clear\n\x1b[H\x1b[2Jredmoon> EXIT\n",
		dialogue(t, "^C", "", `2 echo "a b"`, "0 ping", `echo "a`, "clear", "EXIT", "ping"))
	require.Equal(t, "redmoon> quit\n", dialogue(t, "quit", "ping"))
}

func TestHelp(t *testing.T) {
	out := dialogue(t, "help", "help config get", "help @connection", "? nosuch", "help @nosuch")
	require.Contains(t, out, "help @GROUP     the commands of a group:\n                  bitmap cluster connection generic ")
	require.Contains(t, out, "\n  CONFIG GET parameter [parameter ...]\n  summary: ")
	require.Contains(t, out, "\n  CLIENT GETNAME  ")
	require.Contains(t, out, `Unknown command "nosuch"; "help" lists the commands.`)
	require.Contains(t, out, `Unknown group "nosuch"; the groups are: bitmap cluster connection `)
}

func TestClosedEngineEndsTheDialogue(t *testing.T) {
	e := redmoontest.New(t)
	sess, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	err = repl.Run(repl.Options{Lines: lineedit.NewPlain(strings.NewReader("ping\n")),
		Backend: &backend.Local{Engine: e.Engine, Session: sess}, Out: io.Discard})
	require.ErrorIs(t, err, engine.ErrClosed)
}

func TestComplete(t *testing.T) {
	require.Equal(t, []string{"hello", "help"}, prefixed(repl.Complete(engine.Commands{}, "hel"), "hel"))
	require.Equal(t, []string{"HELLO", "HELP"}, prefixed(repl.Complete(engine.Commands{}, "HEL"), "HEL"))
	require.Equal(t, []string{"get", "help", "resetstat", "rewrite", "set"}, repl.Complete(engine.Commands{}, "config "))
	require.Equal(t, []string{"GETNAME"}, repl.Complete(engine.Commands{}, "CLIENT GETN"))
	require.Equal(t, []string{"@scripting", "@server", "@set"}, prefixed(repl.Complete(engine.Commands{}, "help @s"), "@s")[:3])
	require.Contains(t, repl.Complete(engine.Commands{}, "help sel"), "select")
	require.Empty(t, repl.Complete(engine.Commands{}, "get k"))
	require.Contains(t, repl.Complete(engine.Commands{}, ""), "quit")
}

// prefixed checks that all words have the prefix.
func prefixed(words []string, prefix string) []string {
	for _, w := range words {
		if !strings.HasPrefix(w, prefix) {
			panic(w)
		}
	}
	return words
}

func TestHint(t *testing.T) {
	for line, want := range map[string]string{
		"":               "",
		"getra":          "",
		"getrange":       " key start end",
		"getrange ":      "key start end",
		"getrange k":     "",
		"GETRANGE k ":    "start end",
		"config get ":    "parameter [parameter ...]",
		"getrange k 1 2": "",
	} {
		require.Equal(t, want, repl.Hint(engine.Commands{}, line), "%q", line)
	}
}

func TestInterruptStopsAScriptThatHasWrittenNothing(t *testing.T) {
	e := redmoontest.New(t)
	sess, err := e.NewSession()
	require.NoError(t, err)
	interrupts := make(chan os.Signal, 1)
	interrupts <- os.Interrupt
	var out strings.Builder
	require.NoError(t, repl.Run(repl.Options{
		Backend: &backend.Local{Engine: e.Engine, Session: sess},
		Lines:   lineedit.NewPlain(strings.NewReader("eval 'while true do end' 0\nping\n")), Out: &out, Proto: 2, Interrupts: interrupts,
		Print: func(b []byte, _ []string, v engine.Value) []byte { return display.Raw(b, v) },
	}))
	require.Equal(t, "(stopped)\nPONG\n", out.String())
}

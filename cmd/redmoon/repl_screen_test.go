//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/screen"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// visits is a script with a function, a loop and a local that changes.
const visits = `local function bump(key, by)
  local n = redis.call('INCRBY', key, by)
  return n
end

local total = 0
for i = 1, 3 do
  total = total + bump(KEYS[1], i)
end
return {total, ARGV[1]}
`

// terminal is a terminal with a prompt of redmoon in a temporary folder.
type terminal struct {
	*screen.Screen
	t      *testing.T
	folder string
}

// prompt starts redmoon with args in a terminal. The folder has visits.lua and a history.
func prompt(t *testing.T, args ...string) terminal {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "visits.lua", visits)
	return promptIn(t, folder, nil, args...)
}

func promptIn(t *testing.T, folder string, env []string, args ...string) terminal {
	t.Helper()
	redmoon, err := exec.LookPath("redmoon")
	require.NoError(t, err)
	env = append(env, "REDMOON_HISTORY="+filepath.Join(folder, "history"))
	return terminal{screen.Start(t, screen.Options{Dir: folder, Env: env}, append([]string{redmoon}, args...)...), t, folder}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}

// enter types a line, waits until the line is visible, and presses Enter.
func (s terminal) enter(line string) {
	s.t.Helper()
	s.Type(line)
	s.WaitEnd("(> |^ +)" + regexp.QuoteMeta(line))
	s.Press("Enter")
}

// do enters a line and waits for a prompt.
func (s terminal) do(line, prompt string) string {
	s.t.Helper()
	s.enter(line)
	return s.WaitEnd("^" + regexp.QuoteMeta(prompt) + ">$")
}

func TestAScriptIsDebuggedAtTheTerminal(t *testing.T) {
	s := prompt(t, "repl")
	s.WaitEnd("^redmoon>$")
	s.do(":load visits.lua", "redmoon")
	s.do(":break 2 if by > 1", "redmoon")
	require.Contains(t, s.do(":debug v , ann", "visits.lua:4"), "before the first line, visits.lua:4")
	require.Contains(t, s.do("c", "visits.lua:2"), "# -> 2    local n = redis.call('INCRBY', key, by)")
	require.Contains(t, s.do("v", "visits.lua:2"), "locals\n  key = \"v\"\n  by = 2\n")
	require.Contains(t, s.do("set other x", "visits.lua:2"), "\nOK\n")
	require.Contains(t, s.do(":set by = 40", "visits.lua:2"), "\nby = 40\n")
	s.do("n", "visits.lua:3")
	require.Contains(t, s.do("= n + 1", "visits.lua:3"), "\n42\n")
	require.Contains(t, s.do("t", "visits.lua:3"), "> 0  bump  visits.lua:3\n  1  main chunk  visits.lua:8\n")
	require.Contains(t, s.do(":calls", "visits.lua:3"), "INCRBY v 40  -> 41")
	require.Contains(t, s.do("k", "visits.lua:2"), "back, visits.lua:2")
	s.Press("Enter") // once more
	s.Wait("back, visits.lua:8")
	s.do(":delete all", "visits.lua:8")
	require.Contains(t, s.do("c", "redmoon"), "the script has ended; its changes are discarded")
	require.Contains(t, s.do("exists v other", "redmoon"), "(integer) 0")
	s.Press("C-d")
	s.WaitEnd("^exit code 0$")
}

func TestATestIsDebuggedAtTheTerminal(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "visits.lua", visits)
	write(t, folder, "visits_test.lua", "it('counts', function()\n  assert.equal(2, script('visits.lua'):run({'v'}, {'ann'}))\nend)\n")
	s := promptIn(t, folder, nil, "test", "--debug", "counts", "visits_test.lua")
	s.WaitEnd("^visits.lua:4>$")
	require.Contains(t, s.do("SET v 5", "visits.lua:4"), "\nOK\n")
	s.do(":break 3", "visits.lua:4")
	s.do("c", "visits.lua:3")
	require.Contains(t, s.do("p n", "visits.lua:3"), "\n6\n")
	s.do(":delete all", "visits.lua:3")
	s.enter("c")
	require.Contains(t, s.WaitEnd("^exit code 1$"), "found: ")
}

func TestColours(t *testing.T) {
	s := prompt(t, "debug", "visits.lua", "v")
	s.WaitEnd("^visits.lua:4>$")
	require.Regexp(t, `\x1b\[35mlocal\x1b\[39m \x1b\[35mfunction\x1b\[39m bump`, s.Colours())
	require.Contains(t, s.Colours(), "\x1b[33m-> 4")

	s = promptIn(t, s.folder, []string{"NO_COLOR=1"}, "debug", "visits.lua", "v")
	s.WaitEnd("^visits.lua:4>$")
	require.NotContains(t, s.Colours(), "\x1b[3")
}

func TestCtrlCAtTheTerminal(t *testing.T) {
	s := prompt(t, "repl")
	write(t, s.folder, "loop.lua", `local n = 0
redis.log(redis.LOG_NOTICE, 'looping')
while true do
  n = n + 1
end
`)
	s.WaitEnd("^redmoon>$")

	s.Type("get nothing") // at the prompt it clears the line
	s.WaitEnd("^redmoon> get nothing")
	s.Press("C-c")
	s.WaitEnd("^redmoon>$")

	s.do(":load loop.lua", "redmoon") // in a script it stops that
	s.enter(":run")
	s.Wait("msg=looping$") // the terminal is no longer the editor's
	s.Press("C-c")
	s.Wait(`^(\^C)?\(stopped\)$`)
	s.WaitEnd("^redmoon>$")

	s.do(":debug", "loop.lua:1") // under the debugger it pauses it, and ends what is evaluated
	s.enter("c")
	s.Wait("notice: looping$")
	s.Press("C-c")
	s.Wait("paused, loop.lua:[34]$")
	s.WaitEnd("^loop.lua:[34]>$")
	s.enter("= redis.log(2, 'evaluating') while true do end")
	s.Wait("msg=evaluating$")
	s.Press("C-c")
	s.Wait("evaluation interrupted")
	s.WaitEnd("^loop.lua:[34]>$")
	require.Contains(t, s.do(":abort", "redmoon"), "aborted; its changes are discarded")
}

func TestTheHistoryIsKept(t *testing.T) {
	s := prompt(t, "repl")
	s.WaitEnd("^redmoon>$")
	s.do("set greeting hello", "redmoon")
	s.enter("= redis.call('GET',")
	s.enter("'greeting') .. ' you'")
	s.Wait(`^"hello you"$`)
	s.Press("C-d")
	s.WaitEnd("^exit code 0$")

	s = promptIn(t, s.folder, nil, "repl")
	s.WaitEnd("^redmoon>$")
	s.Press("Up")
	s.WaitEnd(`^ +'greeting'\) \.\. ' you'$`)
	s.Press("C-c")
	s.WaitEnd("^redmoon>$")
	s.Press("C-r")
	s.Wait("inc-search")
	s.Type("greeting he")
	s.Wait("^0 set greeting hello$")
	s.Press("Enter")
	s.Wait("^OK$")
}

func TestTabCompletes(t *testing.T) {
	s := prompt(t, "repl")
	s.WaitEnd("^redmoon>$")
	for _, c := range []struct{ typed, want string }{
		{"getra", "getrange"},
		{":unw", ":unwatch"},
		{":load vis", ":load visits.lua"},
		{"config resets", "config resetstat"},
		{"= redis.status_r", "= redis.status_reply"},
	} {
		s.Type(c.typed)
		s.Press("Tab")
		s.WaitEnd("^redmoon> " + regexp.QuoteMeta(c.want))
		s.Press("C-c")
		s.WaitEnd("^redmoon>$")
	}
	s.do("mset account:ann 1 account:bob 2 other 3", "redmoon")
	s.Type("get acc")
	s.Press("Tab") // what is common, and a list
	s.Wait("^account:ann +account:bob$")
	s.Type("b")
	s.Press("Tab", "Enter")
	s.Wait(`^"2"$`)

	s.do(":load visits.lua", "redmoon")
	s.do(":break 3", "redmoon")
	s.do(":debug account:ann", "visits.lua:4")
	s.do("c", "visits.lua:3")
	s.Type("p k")
	s.Press("Tab")
	s.WaitEnd("^visits.lua:3> p key")
	s.Press("Enter")
	s.Wait(`^"account:ann"$`)
}

func TestTheTerminalIsResized(t *testing.T) {
	s := prompt(t, "repl")
	s.WaitEnd("^redmoon>$")
	s.Resize(40, 12)
	s.Type("echo " + strings.Repeat("abcdefghi.", 5))
	s.WaitEnd(`bcdefghi\.$`)
	s.Resize(80, 20)
	s.Press("Enter")
	s.Wait(`^"` + strings.Repeat(`abcdefghi\.`, 5) + `"$`)
	s.Resize(60, 8)
	s.enter(":help")
	s.Wait(`completes\.`)
	s.WaitEnd("^redmoon>$")
	require.Contains(t, s.All(), ":snapshot")
	s.do("echo after", "redmoon")
	s.Wait(`^"after"$`)
}

func TestAClientsScriptStopsAtThePrompt(t *testing.T) {
	s := prompt(t, "repl", "--listen", "127.0.0.1:0")
	s.WaitEnd("^redmoon>$")
	port := regexp.MustCompile(`listening on 127\.0\.0\.1:(\d+)`).FindStringSubmatch(s.Text())[1]
	client := func() (*resp.Decoder, net.Conn) {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return resp.NewDecoder(c), c
	}
	eval := resp.AppendCommand(nil, "EVAL", visits, "1", "v", "ann")
	s.do(":load visits.lua", "redmoon")
	s.do(":break 3", "redmoon")
	s.Type("echo typed")
	s.WaitEnd("echo typed$")

	replies, c := client()
	_, err := c.Write(eval)
	require.NoError(t, err)
	s.Wait(`^breakpoint, visits\.lua:3, script of client \d+$`)
	s.WaitEnd(`^visits\.lua:3> echo typed$`) // what was typed is still there
	s.Press("Enter")
	s.Wait(`^"typed"$`)
	require.Contains(t, s.do("get v", "visits.lua:3"), "\n\"1\"\n")
	s.do(":set n = 100", "visits.lua:3")
	s.do(":delete 3", "visits.lua:3")
	s.do("c", "redmoon")
	s.Wait("^the script of client .* has ended$")
	v, err := replies.Decode()
	require.NoError(t, err)
	require.Equal(t, int64(109), v.Slice()[0].MustInt())

	// One whose client goes away meanwhile is aborted, or goes on; the engine is free.
	s.do(":break 7", "redmoon")
	_, c = client()
	_, err = c.Write(eval)
	require.NoError(t, err)
	s.WaitEnd(`^visits\.lua:7>$`)
	require.NoError(t, c.Close())
	s.do("c", "visits.lua:7") // the loop comes by again
	s.do(":delete all", "visits.lua:7")
	s.do("c", "redmoon")
	require.Contains(t, s.do("get v", "redmoon"), "\n\"12\"\n")

	// LDB is there too.
	replies, c = client()
	for _, request := range [][]byte{resp.AppendCommand(nil, "SCRIPT", "DEBUG", "YES"), eval} {
		_, err = c.Write(request)
		require.NoError(t, err)
		v, err = replies.Decode()
		require.NoError(t, err)
	}
	require.Contains(t, v.Slice()[0].Text(), "Stopped at")
}

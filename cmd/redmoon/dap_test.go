package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// editor is a debug adapter client.
type editor struct {
	t   *testing.T
	w   io.Writer
	r   *bufio.Reader
	seq int
}

func newEditor(t *testing.T, w io.Writer, r io.Reader) *editor {
	return &editor{t: t, w: w, r: bufio.NewReader(r)}
}

func editorAt(t *testing.T, addr string) *editor {
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	return newEditor(t, nc, nc)
}

type attributes = map[string]any

// do sends a request and returns its response, which must be a success.
func (e *editor) do(command string, arguments attributes) dap.Message {
	e.t.Helper()
	e.seq++
	b, err := json.Marshal(attributes{"seq": e.seq, "type": "request", "command": command, "arguments": arguments})
	require.NoError(e.t, err)
	require.NoError(e.t, dap.WriteBaseMessage(e.w, b))
	for {
		if r, ok := e.next().(dap.ResponseMessage); ok {
			require.True(e.t, r.GetResponse().Success, r.GetResponse().Message)
			return r
		}
	}
}

// refused sends a request whose response must be this error.
func (e *editor) refused(command string, arguments attributes, want string) {
	e.t.Helper()
	e.seq++
	b, err := json.Marshal(attributes{"seq": e.seq, "type": "request", "command": command, "arguments": arguments})
	require.NoError(e.t, err)
	require.NoError(e.t, dap.WriteBaseMessage(e.w, b))
	for {
		if r, ok := e.next().(dap.ResponseMessage); ok {
			require.False(e.t, r.GetResponse().Success)
			failed, ok := r.(*dap.ErrorResponse)
			require.True(e.t, ok)
			require.Contains(e.t, fmt.Sprint(failed.Message, failed.Body.Error), want)
			return
		}
	}
}

func (e *editor) next() dap.Message {
	e.t.Helper()
	m, err := dap.ReadProtocolMessage(e.r)
	require.NoError(e.t, err)
	return m
}

func (e *editor) wait(event string) dap.Message {
	e.t.Helper()
	for {
		if m, ok := e.next().(dap.EventMessage); ok && m.GetEvent().Event == event {
			return m
		}
	}
}

func (e *editor) begin(request string, arguments attributes) {
	e.t.Helper()
	e.do("initialize", attributes{"adapterID": "redmoon"})
	e.do(request, arguments)
	e.wait("initialized")
	e.do("configurationDone", nil)
}

// build builds the program.
func build(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "redmoon")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// start starts the program and returns an editor connected to its standard streams. wait closes
// them and returns the exit code.
func start(t *testing.T, program string, args ...string) (e *editor, wait func() int) {
	cmd := exec.Command(program, args...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	e = newEditor(t, in, out)
	return e, func() int {
		_ = in.Close()
		_, err := io.Copy(io.Discard, e.r)
		require.NoError(t, err)
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
}

const incr = "local n = redis.call('INCR', KEYS[1])\nreturn {n, 'text', false}\n"

// TestTheProgramIsADebugAdapter drives the built program over its standard streams.
func TestTheProgramIsADebugAdapter(t *testing.T) {
	tier.Landing(t)
	program := build(t)
	path := filepath.Join(t.TempDir(), "a.lua")
	require.NoError(t, os.WriteFile(path, []byte(incr), 0o600))

	t.Run("launch", func(t *testing.T) {
		e, wait := start(t, program, "dap")
		e.begin("launch", attributes{"script": path, "keys": []string{"n"}, "stopOnEntry": true})
		e.wait("stopped")
		e.do("next", attributes{"threadId": 1})
		e.wait("stopped")
		r := e.do("evaluate", attributes{"expression": "redis TYPE n", "context": "repl"}).(*dap.EvaluateResponse)
		require.Equal(t, "string", r.Body.Result)
		e.do("continue", attributes{"threadId": 1})
		require.Equal(t, "1) (integer) 1\n2) \"text\"\n3) (nil)\n", e.wait("output").(*dap.OutputEvent).Body.Output,
			"as redis-cli prints it")
		require.Zero(t, e.wait("exited").(*dap.ExitedEvent).Body.ExitCode)
		e.do("disconnect", nil)
		require.Zero(t, wait())
	})
	t.Run("an editor that goes away", func(t *testing.T) {
		e, wait := start(t, program, "dap")
		e.begin("launch", attributes{"script": path, "keys": []string{"n"}, "stopOnEntry": true})
		e.wait("stopped")
		require.Zero(t, wait())
	})
	t.Run("attach", func(t *testing.T) {
		addrs, stop := serving(t, 2, "--addr", "127.0.0.1:0", "--dap", "127.0.0.1:0", "--dap-token", "for editors")
		e, wait := start(t, program, "dap")
		e.begin("attach", attributes{"address": strings.TrimPrefix(addrs[0], "debug adapter on "), "script": path, "token": "for editors"})
		reply := evalOver(t, addrs[1], incr, "n")
		e.wait("stopped")
		e.do("disconnect", nil)
		require.Zero(t, wait())
		require.Equal(t, int64(1), (<-reply)[0])
		require.Zero(t, stop())
	})
}

// evalOver runs a script over RESP and returns the integers of its reply, with 0 for other
// elements.
func evalOver(t *testing.T, addr, script string, keys ...string) <-chan []int64 {
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	_, err = nc.Write(resp.AppendCommand(nil, append([]string{"EVAL", script, string(rune('0' + len(keys)))}, keys...)...))
	require.NoError(t, err)
	reply := make(chan []int64, 1)
	go func() {
		v, err := resp.NewDecoder(nc).Decode()
		if err != nil {
			close(reply)
			return
		}
		var all []int64
		for _, e := range v.Slice() {
			n, _ := e.Int() // 0 for other elements
			all = append(all, n)
		}
		reply <- all
	}()
	return reply
}

const errNoToken = "attribute token: missing or not the one that the server printed"

// TestServeEndsWhileAScriptIsStopped interrupts a server while an editor has stopped the script of
// a client.
func TestServeEndsWhileAScriptIsStopped(t *testing.T) {
	addrs, stop := serving(t, 2, "--addr", "127.0.0.1:0", "--dap", "127.0.0.1:0", "--dap-token", "for editors")
	adapter := strings.TrimPrefix(addrs[0], "debug adapter on ")
	stranger := editorAt(t, adapter)
	stranger.do("initialize", attributes{"adapterID": "redmoon"})
	stranger.refused("attach", attributes{"script": "dap_test.go"}, errNoToken)
	e := editorAt(t, adapter)
	e.begin("attach", attributes{"text": incr, "token": "for editors"})
	reply := evalOver(t, addrs[1], incr, "n")
	e.wait("stopped")
	require.Zero(t, stop())
	require.Equal(t, int64(1), (<-reply)[0], "the client gets its reply")
}

func TestDAPListens(t *testing.T) {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	std := &streams{out: w, err: &bytes.Buffer{}, interruptible: ctx}
	code := make(chan int, 1)
	go func() { code <- std.main([]string{"dap", "--listen", "127.0.0.1:0"}) }()
	out := bufio.NewReader(r)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	addr := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	line, err = out.ReadString('\n')
	require.NoError(t, err)
	token, err := strconv.Unquote(strings.TrimPrefix(strings.TrimSpace(line), `launch and attach need "token": `))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(token), 26, "128 bits")
	for range 2 {
		e := editorAt(t, addr)
		e.begin("launch", attributes{"text": incr, "keys": []string{"n"}, "token": token})
		e.wait("terminated")
	}
	for _, wrong := range []attributes{{}, {"token": ""}, {"token": token + "x"}, {"token": token[1:]}} {
		for _, request := range []string{"launch", "attach"} {
			e := editorAt(t, addr)
			e.do("initialize", attributes{"adapterID": "redmoon"})
			wrong["script"] = "dap_test.go"
			if request == "attach" {
				wrong["address"] = "127.0.0.1:1"
			} else {
				delete(wrong, "address")
			}
			e.refused(request, wrong, errNoToken)
		}
	}
	cancel()
	require.Zero(t, <-code)
}

func TestDapListensOnLoopbackOnly(t *testing.T) {
	for _, args := range [][]string{{"dap", "--listen", ":0"}, {"serve", "--addr", "127.0.0.1:0", "--dap", "0.0.0.0:0"}} {
		var problems bytes.Buffer
		std := &streams{out: io.Discard, err: &problems, interruptible: t.Context()}
		require.Equal(t, 1, std.main(args))
		require.Contains(t, problems.String(), "can be reached from other machines")
	}
}

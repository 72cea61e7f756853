package difftest

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// connectedClients returns the server's count of connected clients.
func connectedClients(t *testing.T, c Conn) int {
	t.Helper()
	_, rest, _ := strings.Cut(infoText(t, c, "clients"), "connected_clients:")
	n, err := strconv.Atoi(rest[:strings.Index(rest, "\r")])
	require.NoError(t, err)
	return n
}

// TestSlowSubscriberIsForgotten compares what another client sees of a subscriber that has been
// disconnected.
func TestSlowSubscriberIsForgotten(t *testing.T) {
	answer := func(addr string) (text string) {
		look, sub := dialTo(t, addr), dialTo(t, addr)
		ask(t, look, "CONFIG", "SET", "client-output-buffer-limit", "pubsub 1mb 0 0")
		before := connectedClients(t, look)
		ask(t, sub, "SUBSCRIBE", "a", "b")
		_, err := sub.Read()
		require.NoError(t, err)
		require.NoError(t, sub.Send("PSUBSCRIBE p*\r\n"))
		until(t, "it has subscribed", func() bool { return ask(t, look, "PUBSUB", "NUMPAT").text == "1" })
		text += "before " + ask(t, look, "PUBSUB", "NUMSUB", "a").kids[1].text
		message := string(resp.AppendCommand(nil, "PUBLISH", "a", strings.Repeat("x", 200_000)))
		for ask(t, look, "PUBSUB", "NUMSUB", "a").kids[1].text == "1" {
			require.NoError(t, look.Send(message))
			raw, err := look.Read()
			require.NoError(t, err)
			require.Equal(t, ":1\r\n", string(raw))
		}
		for _, command := range []string{"PUBSUB CHANNELS", "PUBSUB NUMPAT", "PUBSUB NUMSUB b", "PUBLISH a x", "CLIENT LIST TYPE pubsub"} {
			raw, err := look.Do(strings.Fields(command))
			require.NoError(t, err)
			text += fmt.Sprintf("\n%s %q", command, raw)
		}
		text += fmt.Sprintf("\n%d clients fewer", before-connectedClients(t, look))
		return text
	}
	require.Equal(t, answer(oracleWith(t).Addr), answer(serve(t, engine.Options{}, resp.Options{})))
}

// TestKilledClientsAreForgotten compares what a client that has killed others sees of them in the
// same pipeline.
func TestKilledClientsAreForgotten(t *testing.T) {
	answer := func(addr string) (text string) {
		look := dialTo(t, addr)
		ask(t, look, "CLIENT", "SETNAME", "looks")
		sub, waits := dialTo(t, addr), dialTo(t, addr)
		ask(t, sub, "SUBSCRIBE", "a")
		id := ask(t, waits, "CLIENT", "ID").text
		require.NoError(t, waits.Send("BLPOP k 0\r\n"))
		until(t, "it waits", func() bool { return strings.Contains(infoText(t, look, "clients"), "blocked_clients:1") })
		before := connectedClients(t, look)
		require.NoError(t, look.Send("CLIENT KILL TYPE pubsub\r\nCLIENT KILL ID "+id+
			"\r\nPUBSUB CHANNELS\r\nCLIENT LIST TYPE pubsub\r\nCLIENT LIST ID "+id+"\r\n"))
		for range 5 {
			raw, err := look.Read()
			require.NoError(t, err)
			text += fmt.Sprintf("%q ", raw)
		}
		return text + fmt.Sprint(before-connectedClients(t, look))
	}
	require.Equal(t, answer(oracleWith(t).Addr), answer(serve(t, engine.Options{}, resp.Options{})))
}

// TestSoftOutputLimit compares which clients are disconnected when their output has exceeded the
// soft limit for too long, even if nothing more is sent.
func TestSoftOutputLimit(t *testing.T) {
	answer := func(addr string) (text string) {
		look := dialTo(t, addr)
		ask(t, look, "CONFIG", "SET", "client-output-buffer-limit", "normal 0 1mb 1000 pubsub 0 1mb 1000")
		ask(t, look, "SET", "value", strings.Repeat("v", 10_000_000))
		ask(t, look, "SET", "small", strings.Repeat("v", 10_000))
		open := func(name, send string) *NetConn {
			c := dialTo(t, addr)
			ask(t, c, "CLIENT", "SETNAME", name)
			require.NoError(t, c.Send(send))
			return c
		}
		sub := open("subscribed", "SUBSCRIBE a\r\n")
		watcher := open("monitors", "MONITOR\r\n")
		go io.Copy(io.Discard, watcher.c) // it reads; ends with the connection
		reader := open("reads", "GET value\r\n")
		type answer struct {
			raw []byte
			err error
		}
		read := make(chan answer, 1)
		go func() {
			raw, err := reader.Read()
			read <- answer{raw, err}
		}()
		few, slow := open("few", strings.Repeat("GET small\r\n", 20)), open("slow", strings.Repeat("GET value\r\n", 3))
		until(t, "it has subscribed", func() bool { return ask(t, look, "PUBSUB", "NUMSUB", "a").kids[1].text == "1" })
		ask(t, look, "PUBLISH", "a", strings.Repeat("m", 10_000_000))
		got := <-read
		require.NoError(t, got.err)
		require.Len(t, got.raw, 10_000_000+len("$10000000\r\n\r\n"))
		until(t, "the watcher has read", func() bool { return memoryFields(t, look, "monitors")["omem"] < 1<<20 })
		// Those who read had the time they needed. The others have a second.
		ask(t, look, "CONFIG", "SET", "client-output-buffer-limit", "normal 0 1mb 1 pubsub 0 1mb 1")
		until(t, "who reads nothing is cut off", func() bool {
			list := ask(t, look, "CLIENT", "LIST").text
			return !strings.Contains(list, "=slow ") && !strings.Contains(list, "=subscribed ")
		})
		list := ask(t, look, "CLIENT", "LIST").text
		for _, name := range []string{"reads", "few", "slow", "subscribed", "monitors"} {
			text += fmt.Sprintf("%s %v\n", name, strings.Contains(list, "="+name+" "))
		}
		text += ask(t, look, "PUBSUB", "NUMSUB", "a").kids[1].text
		for _, c := range []*NetConn{few, reader, sub, slow, watcher} {
			c.Close()
		}
		return text
	}
	require.Equal(t, answer(oracleWith(t).Addr), answer(serve(t, engine.Options{}, resp.Options{})))
}

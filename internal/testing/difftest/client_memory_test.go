package difftest

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// memoryFields returns the fields of CLIENT LIST about memory for the session named name.
func memoryFields(t *testing.T, c Conn, name string) map[string]int {
	t.Helper()
	for line := range strings.Lines(ask(t, c, "CLIENT", "LIST").text) {
		if !strings.Contains(line, " name="+name+" ") {
			continue
		}
		fields := map[string]int{}
		for _, word := range regexp.MustCompile(`(\S+)=(\d+)`).FindAllStringSubmatch(line, -1) {
			fields[word[1]], _ = strconv.Atoi(word[2])
		}
		return fields
	}
	return nil
}

// clientsTake returns the memory of all clients in bytes.
func clientsTake(t *testing.T, c Conn) int {
	t.Helper()
	_, rest, _ := strings.Cut(infoText(t, c, "memory"), "mem_clients_normal:")
	n, err := strconv.Atoi(rest[:strings.Index(rest, "\r")])
	require.NoError(t, err)
	return n
}

// until waits until ok, which asks the server, is true.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	patience.Until(t, ok, what)
}

// TestClientMemory compares what CLIENT LIST reports for a client that sends, queues, blocks,
// watches, subscribes and does not read.
func TestClientMemory(t *testing.T) {
	wire := func(args ...string) string { return string(resp.AppendCommand(nil, args...)) }
	exact := []string{"qbuf", "argv-mem", "multi-mem", "multi"}
	steps := []struct {
		what, send string
		replies    int
		ready      func(map[string]int) bool // nil: when the replies are there
		fields     []string
	}{
		{"nothing", wire("PING"), 1, nil, exact},
		{"a transaction", wire("MULTI"), 1, nil, exact},
		{"a queue", wire("SET", "k", strings.Repeat("v", 1000)) + wire("GET", "key") + wire("PING"), 3, nil, exact},
		{"its end", wire("DISCARD"), 1, nil, exact},
		{"a queue again", wire("MULTI") + wire("CLIENT", "INFO"), 2, nil, exact},
		{"its end again", wire("EXEC"), 1, nil, exact},
		{"a part of a request", "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$100\r\nabc", 0, func(f map[string]int) bool { return f["qbuf"] == 3 }, exact},
		{"more of it", strings.Repeat("x", 50), 0, func(f map[string]int) bool { return f["qbuf"] == 53 }, exact},
		{"the rest", strings.Repeat("x", 47) + "\r\n", 1, nil, exact},
		{"a part of a large argument", "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$300000\r\n" + strings.Repeat("x", 200000), 0,
			func(f map[string]int) bool { return f["qbuf"] == 200000 }, exact},
		{"its rest", strings.Repeat("x", 100000) + "\r\n", 1, nil, []string{"argv-mem", "multi-mem", "multi"}},
		{"a line that does not end", "PING PO", 0, func(f map[string]int) bool { return f["qbuf"] == 7 }, exact},
		{"its end", "NG\r\n", 1, nil, exact},
		{"a command that waits", wire("BLPOP", "nokey", "other", "0"), 0, func(f map[string]int) bool { return f["argv-mem"] > 0 }, exact},
		{"what comes behind it", wire("SET", "a", "b") + "*1\r\n$4\r\nPI", 0, func(f map[string]int) bool { return f["qbuf"] > 30 }, exact},
	}
	shown := map[string]string{}
	servers := []string{oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})}
	for i, addr := range servers {
		look, c := dialTo(t, addr), dialTo(t, addr)
		ask(t, c, "CLIENT", "SETNAME", "it")
		for _, step := range steps {
			require.NoError(t, c.Send(step.send))
			for range step.replies {
				_, err := c.Read()
				require.NoError(t, err)
			}
			if step.ready != nil {
				until(t, step.what, func() bool { return step.ready(memoryFields(t, look, "it")) })
			}
			fields := memoryFields(t, look, "it")
			text := ""
			for _, name := range step.fields {
				text += fmt.Sprintf(" %s=%d", name, fields[name])
			}
			if i == 0 {
				shown[step.what] = text
			} else {
				require.Equal(t, shown[step.what], text, step.what)
			}
			require.Greater(t, fields["tot-mem"], fields["qbuf"]+fields["argv-mem"]+fields["multi-mem"])
			require.Less(t, fields["tot-mem"], 60000+4*(fields["qbuf"]+fields["argv-mem"]+fields["multi-mem"])+310000*(1-i))
		}
	}
	own := func(addr string) string {
		c := dialTo(t, addr)
		text := ""
		for _, send := range []string{wire("CLIENT", "INFO"), wire("PING") + wire("CLIENT", "INFO") + wire("PING", "again"), "client info\r\n",
			wire("MULTI") + wire("SET", "a", "b") + wire("CLIENT", "INFO") + wire("SET", "ccc", "dd") + wire("EXEC")} {
			require.NoError(t, c.Send(send+wire("ECHO", "end")))
			for {
				raw, err := c.Read()
				require.NoError(t, err)
				for _, m := range regexp.MustCompile(`(multi|qbuf|argv-mem|multi-mem|oll|omem)=-?\d+`).FindAllString(string(raw), -1) {
					text += m + " "
				}
				if string(raw) == "$3\r\nend\r\n" {
					break
				}
			}
		}
		return text
	}
	require.Equal(t, own(servers[0]), own(servers[1]))
}

// TestClientMemoryWaiting compares what CLIENT LIST reports for a subscriber that does not read,
// within a factor.
func TestClientMemoryWaiting(t *testing.T) {
	var all [2]map[string]int
	for i, addr := range []string{oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})} {
		look, c := dialTo(t, addr), dialTo(t, addr)
		ask(t, look, "CONFIG", "SET", "client-output-buffer-limit", "pubsub 0 0 0")
		ask(t, c, "CLIENT", "SETNAME", "it")
		ask(t, c, "SUBSCRIBE", "a")
		for range 1000 {
			ask(t, look, "PUBLISH", "a", strings.Repeat("x", 30000))
		}
		all[i] = memoryFields(t, look, "it")
		until(t, "all clients are counted", func() bool { return clientsTake(t, look) > all[i]["tot-mem"] })
		_, rest, _ := strings.Cut(infoText(t, look, "clients"), "client_recent_max_output_buffer:")
		if i == 1 { // Redis reports it after a while
			require.Equal(t, strconv.Itoa(all[i]["omem"]), rest[:strings.Index(rest, "\r")])
		}
	}
	for _, name := range []string{"oll", "omem", "tot-mem"} {
		require.InEpsilon(t, all[0][name], all[1][name], 0.5, name)
	}
}

// TestClientEviction compares which clients maxmemory-clients disconnects, and how they are
// counted.
func TestClientEviction(t *testing.T) {
	shown := func(addr string) string {
		var text strings.Builder
		look := dialTo(t, addr)
		ask(t, look, "CLIENT", "NO-EVICT", "on")
		opened := map[string]*NetConn{}
		open := func(name string) *NetConn {
			opened[name] = dialTo(t, addr)
			ask(t, opened[name], "CLIENT", "SETNAME", name)
			return opened[name]
		}
		queue := func(c *NetConn, bytes int) {
			ask(t, c, "MULTI")
			for range bytes / 10000 {
				ask(t, c, "SET", "k", strings.Repeat("x", 10000))
			}
		}
		there := func(what string) {
			fmt.Fprintf(&text, "%s:", what)
			list := ask(t, look, "CLIENT", "LIST").text
			names := regexp.MustCompile(` name=\w+`).FindAllString(list, -1)
			slices.Sort(names) // Redis turns its list
			text.WriteString(strings.Join(names, ""))
			fmt.Fprintf(&text, ", evicted %s\n", statsLine(t, look, "evicted_clients"))
		}
		large, largest, spared := open("large"), open("largest"), open("spared")
		open("small")
		queue(large, 600_000)
		queue(largest, 1_200_000)
		ask(t, spared, "CLIENT", "NO-EVICT", "on")
		queue(spared, 2_000_000)
		there("no limit")
		until(t, "all are counted", func() bool { return clientsTake(t, look) > 3_800_000 }) // Redis does so after a while
		ask(t, look, "CONFIG", "SET", "maxmemory-clients", "50%")
		there("a share of no limit")
		ask(t, look, "CONFIG", "SET", "maxmemory-clients", "3300000")
		there("the largest")
		_, err := largest.Read()
		fmt.Fprintf(&text, "%v\n", err)
		ask(t, look, "CONFIG", "SET", "maxmemory-clients", "2500000")
		there("the other")
		_, err = large.Read()
		fmt.Fprintf(&text, "%v\n", err)
		fmt.Fprintf(&text, "%s\n", ask(t, spared, "DISCARD").text)
		there("spared")
		until(t, "it is counted anew", func() bool { return clientsTake(t, look) < 1_000_000 })

		reader := open("asks")
		queue(open("queues"), 700_000)
		there("below")
		for range 40 { // what Redis has read of a request stays in its buffer for a while
			ask(t, look, "APPEND", "value", strings.Repeat("v", 50_000))
		}
		for range 10 { // answers that nobody reads
			_ = reader.Send("GET value\r\n")
		}
		until(t, "who does not read is evicted", func() bool { return statsLine(t, look, "evicted_clients") == "3" })
		there("who does not read")
		query := open("sends")
		_, _ = io.WriteString(query.c, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10000000\r\n"+strings.Repeat("x", 5_000_000))
		until(t, "who sends without end is evicted", func() bool { return statsLine(t, look, "evicted_clients") == "4" })
		there("who sends without end")
		ask(t, opened["queues"], "DISCARD")

		ask(t, look, "CONFIG", "SET", "client-output-buffer-limit", "pubsub 0 0 0")
		sub := open("subscribed")
		ask(t, sub, "SUBSCRIBE", "a")
		for range 1000 {
			if ask(t, look, "PUBLISH", "a", strings.Repeat("x", 30000)).text == "0" {
				break
			}
		}
		there("who is subscribed")
		fmt.Fprintf(&text, "%s\n", ask(t, look, "PUBSUB", "NUMSUB", "a").kids[1].text)

		ask(t, look, "CONFIG", "SET", "maxmemory", "1gb")
		ask(t, look, "CONFIG", "SET", "maxmemory-clients", "1%")
		queue(open("some"), 3_000_000)
		there("a share")
		more := open("more")
		ask(t, more, "MULTI")
		_, _ = io.WriteString(more.c, strings.Repeat(string(resp.AppendCommand(nil, "SET", "k", strings.Repeat("x", 10000))), 1200))
		until(t, "who queues without end is evicted", func() bool { return statsLine(t, look, "evicted_clients") == "6" })
		there("who queues without end")
		ask(t, look, "CONFIG", "SET", "maxmemory-clients", "0")
		ask(t, look, "CONFIG", "RESETSTAT")
		there("no limit")
		return text.String()
	}
	theirs := oracleWith(t).Addr
	require.Equal(t, shown(theirs), shown(serve(t, engine.Options{}, resp.Options{})))
}

// TestClientEvictionPools compares the form in which DEBUG CLIENT-EVICTION reports the sizes of
// clients.
func TestClientEvictionPools(t *testing.T) {
	small := regexp.MustCompile(`bucket +(0|32768) - .*\n`) // clients at rest
	digits := regexp.MustCompile(`tot-mem: +[1-9]\d*`)
	shown := func(addr string) string {
		c := dialTo(t, addr)
		text := ask(t, c, "DEBUG", "CLIENT-EVICTION").text
		ask(t, c, "CONFIG", "SET", "maxmemory-clients", "1gb")
		ask(t, c, "MULTI")
		for range 30 {
			ask(t, c, "SET", "k", strings.Repeat("x", 10_000))
		}
		ask(t, dialTo(t, addr), "CLIENT", "NO-EVICT", "on")
		look := dialTo(t, addr)
		ask(t, look, "CLIENT", "NO-EVICT", "on")
		for _, proto := range []string{"2", "3"} {
			ask(t, look, "HELLO", proto)
			n := ask(t, look, "DEBUG", "CLIENT-EVICTION")
			text += digits.ReplaceAllString(fmt.Sprintf("%c", n.mark)+n.text, "tot-mem: N")
		}
		return small.ReplaceAllString(text, "")
	}
	require.Equal(t, shown(oracleWith(t, "--enable-debug-command", "yes").Addr), shown(serve(t, engine.Options{}, resp.Options{})))
}

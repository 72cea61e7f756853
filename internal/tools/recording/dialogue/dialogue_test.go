package dialogue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// notes writes down what a dialogue finds, a line for each complete event.
type notes struct {
	lines   []string
	request []string
	reply   string
	push    string
	open    bool
	most    int // bytes of the longest piece of a request or reply

	longestPush int // bytes of the longest piece of a push
}

func (s *notes) Request(n int64, args []recording.Arg, more bool) {
	for i, a := range args {
		text := a.Text
		s.most = max(s.most, len(text))
		if a.Script {
			text = "script:" + text
		}
		if a.Redacted {
			text = "-"
		}
		if i == 0 && s.open {
			s.request[len(s.request)-1] += text
			continue
		}
		s.request = append(s.request, text)
	}
	if s.open = more; !more {
		s.lines = append(s.lines, fmt.Sprintf("request %d %q", n, s.request))
		s.request = nil
	}
}

func (s *notes) Reply(n int64, raw []byte, more bool, cut *recording.Cut) {
	s.most = max(s.most, len(raw))
	if s.reply += string(raw); more {
		return
	}
	line := fmt.Sprintf("reply %d %q", n, s.reply)
	if cut != nil {
		line += fmt.Sprintf(" of %d", cut.Size)
	}
	s.lines, s.reply = append(s.lines, line), ""
}

func (s *notes) HiddenReply(n int64) { s.lines = append(s.lines, fmt.Sprintf("hidden %d", n)) }
func (s *notes) Silent(n int64)      { s.lines = append(s.lines, fmt.Sprintf("silent %d", n)) }
func (s *notes) Unparsed(why string) { s.lines = append(s.lines, "unparsed "+why) }
func (s *notes) Push(raw []byte, more bool) {
	s.longestPush = max(s.longestPush, len(raw))
	if s.push += string(raw); !more {
		s.lines, s.push = append(s.lines, fmt.Sprintf("push %q", s.push)), ""
	}
}

// command is a request as clients send it.
func command(line string) string {
	words := strings.Fields(line)
	out := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return out
}

// array is an array of bulk strings, with a mark; words that are numbers are integers.
func array(mark, line string) string {
	words := strings.Fields(line)
	var out strings.Builder
	fmt.Fprintf(&out, "%s%d\r\n", mark, len(words))
	for _, w := range words {
		if strings.Trim(w, "0123456789") == "" {
			fmt.Fprintf(&out, ":%s\r\n", w)
		} else {
			fmt.Fprintf(&out, "$%d\r\n%s\r\n", len(w), w)
		}
	}
	return out.String()
}

// play passes turns to a dialogue, in pieces of at most size bytes: "C:" begins bytes of the
// client, "S:" of the server.
func play(t testing.TB, o Options, turns []string, size func(left int) int) *notes {
	s := &notes{}
	d := New(s, o)
	for _, turn := range turns {
		who, bytes, ok := strings.Cut(turn, ":")
		require.True(t, ok)
		for len(bytes) > 0 {
			n := size(len(bytes))
			if who == "C" {
				d.Client([]byte(bytes[:n]))
			} else {
				d.Server([]byte(bytes[:n]))
			}
			bytes = bytes[n:]
		}
	}
	d.End()
	return s
}

func whole(left int) int { return left }

var dialogues = []struct {
	name        string
	turns, want []string
}{
	{"a pipeline", []string{"C:" + command("SET k v") + command("GET k"), "S:+OK\r\n$1\r\nv\r\n"},
		[]string{
			`request 1 ["SET" "k" "v"]`,
			`request 2 ["GET" "k"]`,
			`reply 1 "+OK\r\n"`,
			`reply 2 "$1\r\nv\r\n"`,
		}},
	{"replies of all types", []string{"C:" + strings.Repeat(command("X"), 12),

		"S:*2\r\n*-1\r\n*1\r\n$-1\r\n%1\r\n+a\r\n~1\r\n:1\r\n,1.5\r\n#t\r\n(123\r\n_\r\n" +
			"=5\r\ntxt:a\r\n|1\r\n+k\r\n+v\r\n*1\r\n:1\r\n*0\r\n!3\r\nERR\r\n-ERR x\r\n$0\r\n\r\n"},
		append(
			[]string(nil),
			append(
				repeat(12, func(i int) string { return fmt.Sprintf(`request %d ["X"]`, i) }),
				`reply 1 "*2\r\n*-1\r\n*1\r\n$-1\r\n"`,
				`reply 2 "%1\r\n+a\r\n~1\r\n:1\r\n"`,
				`reply 3 ",1.5\r\n"`,
				`reply 4 "#t\r\n"`,
				`reply 5 "(123\r\n"`,
				`reply 6 "_\r\n"`,
				`reply 7 "=5\r\ntxt:a\r\n"`,
				`reply 8 "|1\r\n+k\r\n+v\r\n*1\r\n:1\r\n"`,
				`reply 9 "*0\r\n"`,
				`reply 10 "!3\r\nERR\r\n"`,
				`reply 11 "-ERR x\r\n"`,
				`reply 12 "$0\r\n\r\n"`,
			)...)},
	{
		"inline requests, empty ones",
		[]string{"C:\r\n*0\r\n*-1\r\nset k \"a b\"\nPING\r\n", "S:+OK\r\n+PONG\r\n"},
		[]string{
			`request 1 ["set" "k" "a b"]`,
			`request 2 ["PING"]`,
			`reply 1 "+OK\r\n"`,
			`reply 2 "+PONG\r\n"`,
		},
	},
	{
		"what is not a request",
		[]string{
			"C:" + command("PING"),
			"S:+PONG\r\n",
			"C:*1\r\n:3\r\nsecret",
			"S:-ERR Protocol error\r\n",
		},
		[]string{
			`request 1 ["PING"]`,
			`reply 1 "+PONG\r\n"`,
			"unparsed the client has sent what is not a request",
		},
	},
	{
		"unbalanced quotes",
		[]string{"C:auth \"secret\r\n"},
		[]string{"unparsed the client has sent what is not a request"},
	},
	{"what is not a reply", []string{"C:" + command("PING"), "S:HTTP/1.1 400\r\n"},
		[]string{`request 1 ["PING"]`, "unparsed the server has sent what is not a reply"}},
	{
		"an error without a request",
		[]string{"S:-ERR max number of clients reached\r\n"},
		[]string{`push "-ERR max number of clients reached\r\n"`},
	},
	{"an incomplete request is not passed on", []string{"C:*2\r\n$4\r\nAUTH\r\n$6\r\nsec"}, nil},

	{
		"messages of RESP2",
		[]string{
			"C:" + command("SUBSCRIBE a b"),
			"S:" + array(
				"*",
				"subscribe a 1",
			) + array(
				"*",
				"subscribe b 2",
			) + array(
				"*",
				"message a hi",
			),
			"C:" + command(
				"PING",
			) + command(
				"UNSUBSCRIBE",
			),
			"S:" + array(
				"*",
				"message b ho",
			) + array(
				"*",
				"pong x",
			) + array(
				"*",
				"unsubscribe a 1",
			) + array(
				"*",
				"message b ha",
			) + array(
				"*",
				"unsubscribe b 0",
			),
			"C:" + command("LRANGE message 0 1"),
			"S:" + array("*", "message x"),
		},
		[]string{`request 1 ["SUBSCRIBE" "a" "b"]`,
			fmt.Sprintf(
				"reply 1 %q",
				array("*", "subscribe a 1")+array("*", "subscribe b 2"),
			), fmt.Sprintf("push %q", array("*", "message a hi")),
			`request 2 ["PING"]`, `request 3 ["UNSUBSCRIBE"]`,
			fmt.Sprintf("push %q", array("*", "message b ho")), fmt.Sprintf("reply 2 %q", array("*", "pong x")),
			fmt.Sprintf(
				"push %q",
				array("*", "message b ha"),
			), fmt.Sprintf("reply 3 %q", array("*", "unsubscribe a 1")+array("*", "unsubscribe b 0")),
			`request 4 ["LRANGE" "message" "0" "1"]`, fmt.Sprintf("reply 4 %q", array("*", "message x"))},
	},
	{
		"patterns and shard channels",
		[]string{"C:" + command("PSUBSCRIBE p*") + command("SSUBSCRIBE s") + command("SUBSCRIBE c"),
			"S:" + array(
				"*",
				"psubscribe p* 1",
			) + array(
				"*",
				"ssubscribe s 1",
			) + array(
				"*",
				"subscribe c 2",
			) + array(
				"*",
				"pmessage p* p1 x",
			) + array(
				"*",
				"smessage s y",
			),
			"C:" + command(
				"UNSUBSCRIBE",
			) + command(
				"UNSUBSCRIBE",
			) + command(
				"PUNSUBSCRIBE",
			) + command(
				"SUNSUBSCRIBE s",
			) + command(
				"MGET a",
			),
			"S:" + array(
				"*",
				"unsubscribe c 1",
			) + "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:1\r\n" + array(
				"*",
				"punsubscribe p* 0",
			) + array(
				"*",
				"sunsubscribe s 0",
			) + array(
				"*",
				"message",
			)},
		[]string{
			`request 1 ["PSUBSCRIBE" "p*"]`,
			`request 2 ["SSUBSCRIBE" "s"]`,
			`request 3 ["SUBSCRIBE" "c"]`,
			fmt.Sprintf(
				"reply 1 %q",
				array("*", "psubscribe p* 1"),
			),
			fmt.Sprintf("reply 2 %q", array("*", "ssubscribe s 1")),
			fmt.Sprintf(
				"reply 3 %q",
				array("*", "subscribe c 2"),
			),
			fmt.Sprintf("push %q", array("*", "pmessage p* p1 x")),
			fmt.Sprintf("push %q", array("*", "smessage s y")),
			`request 4 ["UNSUBSCRIBE"]`,
			`request 5 ["UNSUBSCRIBE"]`,
			`request 6 ["PUNSUBSCRIBE"]`,
			`request 7 ["SUNSUBSCRIBE" "s"]`,
			`request 8 ["MGET" "a"]`,
			fmt.Sprintf(
				"reply 4 %q",
				array("*", "unsubscribe c 1"),
			),
			`reply 5 "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:1\r\n"`,
			fmt.Sprintf(
				"reply 6 %q",
				array("*", "punsubscribe p* 0"),
			),
			fmt.Sprintf("reply 7 %q", array("*", "sunsubscribe s 0")),
			fmt.Sprintf("reply 8 %q", array("*", "message")),
		},
	},
	{
		"a subscription that is refused or queued",
		[]string{
			"C:" + command("SUBSCRIBE a b") + command("MULTI") + command("SUBSCRIBE a b"),
			"S:-NOPERM no\r\n+OK\r\n+QUEUED\r\n",
		},
		[]string{
			`request 1 ["SUBSCRIBE" "a" "b"]`,
			`request 2 ["MULTI"]`,
			`request 3 ["SUBSCRIBE" "a" "b"]`,
			`reply 1 "-NOPERM no\r\n"`,
			`reply 2 "+OK\r\n"`,
			`reply 3 "+QUEUED\r\n"`,
		},
	},
	{
		"pushes of RESP3",
		[]string{
			"C:" + command("HELLO 3"),
			"S:%1\r\n+proto\r\n:3\r\n",
			"C:" + command("SUBSCRIBE a") + command("GET k"),
			"S:" + array(
				">",
				"subscribe a 1",
			) + array(
				">",
				"message a x",
			) + "$1\r\nv\r\n" + array(
				">",
				"invalidate k",
			),
			"C:" + command("LRANGE l 0 1"),
			"S:" + array("*", "message a x"),
		},
		[]string{
			`request 1 ["HELLO" "3"]`,
			`reply 1 "%1\r\n+proto\r\n:3\r\n"`,
			`request 2 ["SUBSCRIBE" "a"]`,
			`request 3 ["GET" "k"]`,
			fmt.Sprintf(
				"reply 2 %q",
				array(">", "subscribe a 1"),
			),
			fmt.Sprintf("push %q", array(">", "message a x")),
			`reply 3 "$1\r\nv\r\n"`,
			fmt.Sprintf(
				"push %q",
				array(">", "invalidate k"),
			),
			`request 4 ["LRANGE" "l" "0" "1"]`,
			fmt.Sprintf("reply 4 %q", array("*", "message a x")),
		},
	},
	{
		"a slot that has moved",
		[]string{
			"C:" + command("HELLO 3") + command("SSUBSCRIBE a"),
			"S:%0\r\n" + array(">", "ssubscribe a 1") + array(">", "sunsubscribe a 0"),
		},
		[]string{
			`request 1 ["HELLO" "3"]`,
			`request 2 ["SSUBSCRIBE" "a"]`,
			`reply 1 "%0\r\n"`,
			fmt.Sprintf("reply 2 %q", array(">", "ssubscribe a 1")),
			fmt.Sprintf("push %q", array(">", "sunsubscribe a 0")),
		},
	},

	{
		"MONITOR",
		[]string{
			"C:" + command("MONITOR"),
			"S:+OK\r\n+1700000000.123456 [0 127.0.0.1:1] \"GET\" \"k\"\r\n",
			"C:" + command("PING") + command("RESET") + command("PING"),
			"S:+PONG\r\n+1700000000.5 [0 lua] \"x\"\r\n+RESET\r\n+1 is a reply\r\n",
		},
		[]string{
			`request 1 ["MONITOR"]`,
			`reply 1 "+OK\r\n"`,
			`push "+1700000000.123456 [0 127.0.0.1:1] \"GET\" \"k\"\r\n"`,
			`request 2 ["PING"]`,
			`request 3 ["RESET"]`,
			`request 4 ["PING"]`,
			`reply 2 "+PONG\r\n"`,
			`push "+1700000000.5 [0 lua] \"x\"\r\n"`,
			`reply 3 "+RESET\r\n"`,
			`reply 4 "+1 is a reply\r\n"`,
		},
	},
	{
		"passwords in MONITOR",
		[]string{
			"C:" + command("MONITOR"),
			"S:+OK\r\n+1.1 [0 a:1] \"auth\" \"secret\"\r\n+1.2 [0 a:1] \"set\" \"auth\" \"v\"\r\n",
		},
		[]string{
			`request 1 ["MONITOR"]`,
			`reply 1 "+OK\r\n"`,
			`push "+1.1 [0 a:1] \"auth\" \"(redacted)\"\r\n"`,
			`push "+1.2 [0 a:1] \"set\" \"auth\" \"v\"\r\n"`,
		},
	},

	{
		"CLIENT REPLY OFF and ON",
		[]string{
			"C:" + command(
				"SET a 1",
			) + command(
				"CLIENT REPLY OFF",
			) + command(
				"SET a 2",
			) + command(
				"client reply on",
			) + command(
				"GET a",
			),
			"S:+OK\r\n+OK\r\n$1\r\n2\r\n",
		},
		[]string{
			`request 1 ["SET" "a" "1"]`,
			`request 2 ["CLIENT" "REPLY" "OFF"]`,
			`request 3 ["SET" "a" "2"]`,
			`request 4 ["client" "reply" "on"]`,
			`request 5 ["GET" "a"]`,
			`reply 1 "+OK\r\n"`,
			"silent 2",
			"silent 3",
			`reply 4 "+OK\r\n"`,
			`reply 5 "$1\r\n2\r\n"`,
		},
	},
	{
		"CLIENT REPLY SKIP",
		[]string{
			"C:" + command("CLIENT REPLY SKIP") + command("SET a 1") + command("SUBSCRIBE a b"),
			"S:" + array("*", "subscribe a 1") + array("*", "subscribe b 2"),
		},
		[]string{
			`request 1 ["CLIENT" "REPLY" "SKIP"]`,
			`request 2 ["SET" "a" "1"]`,
			`request 3 ["SUBSCRIBE" "a" "b"]`,
			"silent 1",
			"silent 2",
			fmt.Sprintf("reply 3 %q", array("*", "subscribe a 1")+array("*", "subscribe b 2")),
		},
	},
	{
		"CLIENT REPLY that fails or is queued",
		[]string{
			"C:" + command("CLIENT REPLY OFF"),
			"S:-NOPERM no\r\n",
			"C:" + command("MULTI") + command("CLIENT REPLY SKIP"),
			"S:+OK\r\n+QUEUED\r\n",
			"C:" + command(
				"CLIENT REPLY MAYBE",
			) + command(
				"CLIENT REPLY",
			),
			"S:-ERR a\r\n-ERR b\r\n",
		},
		[]string{
			`request 1 ["CLIENT" "REPLY" "OFF"]`,
			`reply 1 "-NOPERM no\r\n"`,
			`request 2 ["MULTI"]`,
			`request 3 ["CLIENT" "REPLY" "SKIP"]`,
			`reply 2 "+OK\r\n"`,
			`reply 3 "+QUEUED\r\n"`,
			`request 4 ["CLIENT" "REPLY" "MAYBE"]`,
			`request 5 ["CLIENT" "REPLY"]`,
			`reply 4 "-ERR a\r\n"`,
			`reply 5 "-ERR b\r\n"`,
		},
	},
	{
		"silent requests at the end",
		[]string{"C:" + command("CLIENT REPLY OFF") + command("SET a 1")},
		[]string{
			`request 1 ["CLIENT" "REPLY" "OFF"]`,
			`request 2 ["SET" "a" "1"]`,
			"silent 1",
			"silent 2",
		},
	},
	{
		"a push does not end a silent request",
		[]string{
			"C:" + command("HELLO 3"),
			"S:%0\r\n",
			"C:" + command("CLIENT REPLY SKIP") + command("SET a 1") + command("GET a"),
			"S:" + array(">", "invalidate a") + "$1\r\n1\r\n",
		},
		[]string{
			`request 1 ["HELLO" "3"]`,
			`reply 1 "%0\r\n"`,
			`request 2 ["CLIENT" "REPLY" "SKIP"]`,
			`request 3 ["SET" "a" "1"]`,
			`request 4 ["GET" "a"]`,
			fmt.Sprintf(
				"push %q",
				array(">", "invalidate a"),
			),
			"silent 2",
			"silent 3",
			`reply 4 "$1\r\n1\r\n"`,
		},
	},

	{
		"replication",
		[]string{
			"C:" + command("REPLCONF capa eof") + command("SYNC"),
			"S:+OK\r\n\n\n",
			"S:$5\r\nREDIS+OK\r\n",
		},
		[]string{
			`request 1 ["REPLCONF" "capa" "eof"]`,
			`request 2 ["SYNC"]`,
			`reply 1 "+OK\r\n"`,
			"unparsed the server has sent what is not a reply",
		},
	},
	{
		"a replica",
		[]string{"C:" + command("PSYNC ? -1"), "S:+FULLRESYNC abc 0\r\n$5\r\nREDIS"},
		[]string{`request 1 ["PSYNC" "?" "-1"]`, "unparsed PSYNC"},
	},
	{
		"a debugged script",
		[]string{
			"C:" + command("SCRIPT DEBUG YES") + command("EVAL return 0"),
			"S:+OK\r\n*1\r\n+* Stopped at 1\r\n",
		},
		[]string{
			`request 1 ["SCRIPT" "DEBUG" "YES"]`,
			`request 2 ["EVAL" "return" "0"]`,
			`reply 1 "+OK\r\n"`,
			"unparsed EVAL",
		},
	},
}

func repeat(n int, f func(i int) string) (list []string) {
	for i := range n {
		list = append(list, f(i+1))
	}
	return list
}

// Every dialogue is cut in the same way, however its bytes arrive.
func TestDialogues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range dialogues {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, play(t, Options{}, c.turns, whole).lines)
			require.Equal(
				t,
				c.want,
				play(t, Options{Piece: 64}, c.turns, func(int) int { return 1 }).lines,
			)
			for range 20 {
				some := func(left int) int { return 1 + random.IntN(min(left, 9)) }
				require.Equal(
					t,
					c.want,
					play(t, Options{Piece: 64 + random.IntN(20)}, c.turns, some).lines,
				)
			}
		})
	}
}

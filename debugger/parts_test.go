package debugger

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHitRules(t *testing.T) {
	for _, c := range []struct {
		rule string
		want []int // of 1 to 6
	}{
		{"", []int{1, 2, 3, 4, 5, 6}}, {"3", []int{3}}, {"==3", []int{3}}, {"= 3", []int{3}},
		{">4", []int{5, 6}}, {">= 4", []int{4, 5, 6}}, {"<3", []int{1, 2}},
		{"<=3", []int{1, 2, 3}}, {"%2", []int{2, 4, 6}}, {" % 3 ", []int{3, 6}}, {"0", nil},
	} {
		rule, ok := parseHits(c.rule)
		require.True(t, ok, c.rule)
		var got []int
		for hit := 1; hit <= 6; hit++ {
			if rule.matches(hit) {
				got = append(got, hit)
			}
		}
		require.Equal(t, c.want, got, c.rule)
	}
	for _, rule := range []string{"x", "==", "-1", "%0", "3 4", "!=2", "1.5"} {
		_, ok := parseHits(rule)
		require.False(t, ok, rule)
	}
}

func TestLogMessages(t *testing.T) {
	for _, c := range []struct {
		text    string
		pieces  []logPiece
		problem string
	}{
		{"", nil, ""},
		{"here", []logPiece{{text: "here"}}, ""},
		{"n is {n}!", []logPiece{{"n is ", "n"}, {text: "!"}}, ""},
		{"{#{1, 2}}{ '}' }", []logPiece{{"", "#{1, 2}"}, {"", " '}' "}}, ""},
		{`\{n\} \\ \n`, []logPiece{{text: `{n} \ \n`}}, ""},
		{"a } b", []logPiece{{text: "a } b"}}, ""},
		{"{n", nil, "a { that is not closed"},
		{"{}", nil, "{}: no expression"},
		{"{a +}", nil, "{a +}: unexpected symbol near '<eof>'"},
	} {
		pieces, problem := parseLog(c.text)
		require.Equal(t, c.problem, problem, c.text)
		require.Equal(t, c.pieces, pieces, c.text)
	}
}

func TestBreakpointsMoveToLinesWithCode(t *testing.T) {
	s := newSession("local a = 1\n\n-- nothing\nlocal b = a\nreturn b\n\n", Options{})
	defer s.events.drop()
	require.Equal(t, []int{1, 4, 5}, s.Lines())
	var got []Breakpoint
	for line := range 8 {
		got = append(got, s.SetBreakpoints([]Breakpoint{{Line: line, Problem: "old"}})...)
	}
	const none = "no code on this line or behind it"
	require.Equal(t, []Breakpoint{{Line: 0, Problem: none}, {Line: 1}, {Line: 4}, {Line: 4}, {Line: 4}, {Line: 5},
		{Line: 6, Problem: none}, {Line: 7, Problem: none}}, got)

	for given, problem := range map[Breakpoint]string{
		{Line: 1, Condition: "a >"}:                 "condition: unexpected symbol near '<eof>'",
		{Line: 1, Condition: "a = 3"}:               "condition: '<eof>' expected near '='",
		{Line: 1, Condition: "a == 3", Hits: "x"}:   "not a number of hits: x",
		{Line: 1, Log: "{"}:                         "log message: a { that is not closed",
		{Line: 1, Condition: "a", Hits: "%2"}:       "",
		{Line: 2, Condition: "#redis.call('keys')"}: "",
	} {
		require.Equal(t, problem, s.SetBreakpoints([]Breakpoint{given})[0].Problem)
	}

	s = newSession("local a = ", Options{})
	defer s.events.drop()
	require.Equal(t, "1: unexpected symbol near '<eof>'", s.SetBreakpoints([]Breakpoint{{Line: 1}})[0].Problem)
}

func TestAnUnchangedBreakpointKeepsItsHits(t *testing.T) {
	s := newSession("local a = 1\nreturn a", Options{Breakpoints: []Breakpoint{{Line: 1}, {Line: 2, Hits: "2"}, {Line: 2, Hits: "2"}}})
	defer s.events.drop()
	for i, b := range s.settings.Load().list {
		*b.hits = 10 + i
	}
	s.SetBreakpoints([]Breakpoint{{Line: 2, Hits: "2"}, {Line: 2, Hits: "3"}, {Line: 2, Hits: "2"}, {Line: 2, Hits: "2"}})
	var hits []int
	for _, b := range s.settings.Load().list {
		hits = append(hits, *b.hits)
	}
	require.Equal(t, []int{11, 0, 12, 0}, hits)
}

func TestCommandNamesIgnoreCase(t *testing.T) {
	s := newSession("return 1", Options{Stops: Stops{Commands: []string{"GET", "xgroup|Create", "config  get"}}})
	defer s.events.drop()
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"get", "k"}, true}, {[]string{"GeT"}, true}, {[]string{"set", "get"}, false},
		{[]string{"XGROUP", "CREATE", "k"}, true}, {[]string{"XGROUP"}, false},
		{[]string{"config", "GET", "x"}, true}, {[]string{"config", "set"}, false}, {nil, false},
	} {
		_, stop := s.settings.Load().matchCommand(c.args)
		require.Equal(t, c.want, stop, c.args)
	}
}

func TestTheQueueKeepsTheOrderAndDoesNotBlock(t *testing.T) {
	q := newQueue()
	for i := range 1000 {
		q.put(Output{Line: i})
	}
	q.end()
	q.put(Output{Line: -1})
	n := 0
	for e := range q.out {
		require.Equal(t, Output{Line: n}, e)
		n++
	}
	require.Equal(t, 1000, n)

	q = newQueue()
	for range 10 {
		q.put(Output{})
	}
	<-q.out
	q.drop()
	q.drop()
	q.put(Output{})
	for range q.out { // one may have been on its way
	}
}

func TestReasonsHaveNames(t *testing.T) {
	require.Equal(t, "unknown", Reason(99).String())
	for r := ReasonEntry; r <= ReasonEnd; r++ {
		require.NotEqual(t, "unknown", r.String(), strconv.Itoa(int(r)))
	}
}

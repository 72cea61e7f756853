package repo

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No test depends on luck: on real time, on how fast the machine is, on a port that another process
// may have. A place that must do so stands in testdata/luck.txt, with its reason.
func TestNoTestDependsOnLuck(t *testing.T) {
	list, err := os.ReadFile("testdata/luck.txt")
	require.NoError(t, err)
	type place struct{ file, function, call string }
	reasons, used := map[place]bool{}, map[place]bool{}
	reason := false
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		switch words := strings.Fields(line); {
		case line == "":
			reason = false
		case line[0] == '#':
			reason = true
		default:
			require.True(t, reason, "the group of this line has no reason above it: %s", line)
			require.Len(t, words, 3, "want the file, the function and the call: %s", line)
			reasons[place{words[0], words[1], words[2]}] = true
		}
	}
	found, err := FindLuck(Root())
	require.NoError(t, err)
	for _, l := range found {
		p := place{l.File, l.Func, l.Call}
		if p.function == "" {
			p.function = "-"
		}
		if used[p] = true; !reasons[p] {
			t.Errorf("%v: use internal/testing/patience, the virtual clock, testing/synctest or port 0, "+
				"or add it with its reason to testdata/luck.txt: %s %s %s", l, p.file, p.function, p.call)
		}
	}
	for p := range reasons {
		if !used[p] {
			t.Errorf("testdata/luck.txt: %s %s no longer has %s", p.file, p.function, p.call)
		}
	}
}

func TestFindLuck(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a sleep":                   {`time.Sleep(1)`, []string{"time.Sleep"}},
		"a renamed package":         {`clock.Sleep(1)`, []string{"time.Sleep"}},
		"a function that is passed": {`f(time.Now)`, []string{"time.Now"}},
		"two on a line":             {`f(time.Now().Add(time.Since(x)))`, []string{"time.Now", "time.Since"}},
		"a bound":                   {`context.WithTimeout(ctx, time.Second)`, []string{"context.WithTimeout"}},
		"a bound of patience":       {`context.WithTimeout(ctx, patience.Limit); c.SetDeadline(patience.Deadline())`, nil},
		"a wait for patience":       {`<-time.After(patience.Limit)`, nil},
		"inside a bound":            {`context.WithTimeout(f(time.Now()), patience.Limit)`, []string{"time.Now"}},
		"a random number":           {`rand.IntN(6)`, []string{"rand.IntN"}},
		"a seeded source":           {`r := rand.New(rand.NewPCG(1, 2)); r.IntN(6)`, nil},
		"no deadline":               {`c.SetReadDeadline(time.Time{})`, nil},
		"a deadline":                {`c.SetWriteDeadline(soon)`, []string{"SetWriteDeadline"}},
		"testify":                   {`require.Eventually(t, f, a, b); assert.Never(t, f, a, b)`, []string{"Eventually", "Never"}},
		"assertions":                {`a.WithinDuration(b, c, d)`, []string{"WithinDuration"}},
		"a bubble":                  {`synctest.Test(t, func(t *testing.T) { time.Sleep(1) })`, nil},
		"a port":                    {`net.Listen("tcp", "127.0.0.1:6379"); net.Listen("tcp", ":80")`, []string{"127.0.0.1:6379", ":80"}},
		"a port in options":         {`f(Options{Addr: "localhost:6379"})`, []string{"localhost:6379"}},
		"any port":                  {`net.Listen("tcp", "127.0.0.1:0"); parse("127.0.0.1:6379")`, nil},
		"no clock":                  {`time.Unix(1, 0); other.Sleep(1); time.Duration(1)`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			source := "package p\n\nimport (\n\t\"context\"\n" +
				"\t\"math/rand/v2\"\n\t\"net\"\n\t\"testing\"\n\t\"testing/synctest\"\n\t\"time\"\n\tclock \"time\"\n" +
				"\t\"github.com/stretchr/testify/assert\"\n\t\"github.com/stretchr/testify/require\"\n)\n\nfunc (x *X[T]) m() {\n" + c.body + "\n}\n"
			found, err := luckOf("p_test.go", []byte(source))
			require.NoError(t, err)
			var got []string
			for _, l := range found {
				require.Equal(t, "X.m", l.Func)
				got = append(got, l.Call)
			}
			require.Equal(t, c.want, got)
		})
	}
}

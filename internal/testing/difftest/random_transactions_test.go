package difftest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandomTransactions lets three sessions build transactions at the same time on the same keys.
func TestRandomTransactions(t *testing.T) {
	needsOracle(t)
	for seed := uint64(1); seed <= 4; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			groups := []string{"string", "list"}
			g := newGenerator(seed, style{groups: groups, proto: 2}, rowsOf(visibleCommands(t), groups))
			g.rows = slices.DeleteFunc(g.rows, func(r *row) bool { return r.waits })
			require.NotEmpty(t, g.rows)
			f := &File{Path: "random", Doors: []Door{DoorRESP, DoorGo}}
			for i := range 2000 {
				f.Steps = append(f.Steps, Step{kind: stepSession, Name: pick(g.rng, []string{"a", "b", "c"})}, g.txStep(i+1))
			}
			playRandom(t, f)
		})
	}
}

// txStep makes a command that often belongs to a transaction.
func (g *generator) txStep(line int) Step {
	key := pick(g.rng, []string{"string", "string2", "list"})
	switch g.rng.IntN(12) {
	case 0, 1:
		return Step{Line: line, Args: []string{"MULTI"}}
	case 2, 3, 4:
		return Step{Line: line, Args: []string{"EXEC"}, Relax: Relax{Approx: 60000}}
	case 5:
		return Step{Line: line, Args: []string{pick(g.rng, []string{"DISCARD", "UNWATCH", "RESET"})}}
	case 6, 7:
		return Step{Line: line, Args: []string{"WATCH", key, pick(g.rng, []string{"string", "string3", "nokey"})}}
	case 8:
		return Step{Line: line, Args: []string{"SELECT", pick(g.rng, []string{"0", "0", "0", "1", "99"})}}
	case 9:
		return Step{Line: line, Args: []string{"SET", key, "1"}}
	}
	return g.step(line)
}

func playRandom(t *testing.T, f *File) {
	rec, err := theRunner.Record(f)
	require.NoError(t, err)
	for _, d := range f.Doors {
		res, err := theRunner.Check(f, d, rec)
		require.NoError(t, err)
		if len(res.Faults) == 0 {
			continue
		}
		line := res.Faults[0].Line
		small := shrink(t, f, d, line)
		t.Errorf("door %s: %s\n\nas a case file:\n%s", d, res.Faults[0].Text, caseText(small))
		return
	}
}

// shrink removes from f what the fault at line does not need.
func shrink(t *testing.T, f *File, d Door, line int) *File {
	end := slices.IndexFunc(f.Steps, func(s Step) bool { return s.Line == line && s.answers() })
	with := func(steps []Step) *File {
		c := *f
		c.Doors, c.Steps = []Door{d}, steps
		return &c
	}
	small := with(f.Steps[:end+1])
	for size := end / 2; size > 0; size /= 2 {
		for at := 0; at+size < len(small.Steps); {
			try := with(slices.Concat(small.Steps[:at], small.Steps[at+size:]))
			if fails(t, try, d, line) {
				small = try
			} else {
				at += size
			}
		}
	}
	return small
}

func fails(t *testing.T, f *File, d Door, line int) bool {
	rec, err := theRunner.Record(f)
	require.NoError(t, err)
	res, err := theRunner.Check(f, d, rec)
	require.NoError(t, err)
	for _, fault := range res.Faults {
		if fault.Line == line {
			return true
		}
	}
	return false
}

// caseText writes the steps as a case file.
func caseText(f *File) string {
	var b strings.Builder
	for _, s := range f.Steps {
		switch {
		case s.kind == stepResp:
			fmt.Fprintf(&b, "!resp %d\n", s.N)
			continue
		case s.kind == stepSession:
			fmt.Fprintf(&b, "!session %s\n", s.Name)
			continue
		case s.Relax.Kind:
			b.WriteString("!kind\n")
		case s.Relax.Count:
			b.WriteString("!count\n")
		case s.Relax.Scan:
			b.WriteString("!scan\n")
		case s.Relax.Pairs:
			b.WriteString("!unordered pairs\n")
		case s.Relax.Unordered:
			b.WriteString("!unordered\n")
		case s.Relax.Approx > 0:
			fmt.Fprintf(&b, "!approx %d\n", s.Relax.Approx)
		}
		for i, a := range s.Args {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(quoteWord(a))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// quoteWord writes a word so that splitWords reads it back.
func quoteWord(s string) string {
	var b strings.Builder
	bare := s != ""
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
			bare = false
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
			bare = false
		default:
			b.WriteByte(c)
			bare = bare && c != ' ' && c != '\'' && c != '#' && c != '!' && c != '<' && c != '@'
		}
	}
	if bare {
		return s
	}
	return `"` + b.String() + `"`
}

package difftest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandomCommands plays random commands against the live oracle. The seeds are fixed; REDMOON_SEED=n plays
// another one, REDMOON_STEPS=n sets how many commands a run has. Even seeds speak RESP3. A difference is cut down to the commands that it
// needs, printed as a case file.
func TestRandomCommands(t *testing.T) {
	needsOracle(t)
	families := map[string][]string{
		"string": {"string", "generic"},
		"hash":   {"hash", "generic"},
		"list":   {"list", "generic"},
		"set":    {"set", "generic"},
		"zset":   {"sorted-set", "generic"},
		"bitmap": {"bitmap", "string", "generic"},
		"mixed":  {"string", "bitmap", "hash", "list", "set", "sorted-set", "generic"},
	}
	first, count := uint64(1), uint64(2)
	if s, err := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64); err == nil {
		first, count = s, 1
	}
	steps := 1500
	if n, err := strconv.Atoi(os.Getenv("REDMOON_STEPS")); err == nil {
		steps = n
	}
	for name, groups := range families {
		for seed := first; seed < first+count; seed++ {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				g := newGenerator(seed, groups...)
				f := &File{Path: "random", Doors: AllDoors()}
				require.NotEmpty(t, g.specs)
				if g.long {
					f.Steps = append(f.Steps, smallLimits())
				}
				if seed%2 == 0 {
					f.Steps = append(f.Steps, Step{kind: stepResp, N: 3})
				}
				for i := range steps {
					f.Steps = append(f.Steps, g.step(i+1))
				}
				playRandom(t, f)
			})
		}
	}
}

// smallLimits makes values change their encoding after a few elements.
func smallLimits() Step {
	return Step{Args: strings.Fields("CONFIG SET hash-max-listpack-entries 4 hash-max-listpack-value 20 set-max-intset-entries 3 " +
		"zset-max-listpack-entries 4 zset-max-listpack-value 20 list-max-listpack-size 4")}
}

// TestRandomTransactions lets three sessions build transactions at the same time on the same keys.
func TestRandomTransactions(t *testing.T) {
	needsOracle(t)
	for seed := uint64(1); seed <= 4; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := newGenerator(seed, "string", "list")
			require.NotEmpty(t, g.specs)
			f := &File{Path: "random", Doors: []Door{DoorRESP, DoorGo}}
			for i := range 2000 {
				f.Steps = append(f.Steps, Step{kind: stepSession, Name: pick(g.rng, []string{"a", "b", "c"})}, g.txStep(i+1))
			}
			playRandom(t, f)
		})
	}
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

// shrink takes out of f what the fault at line does not need.
func shrink(t *testing.T, f *File, d Door, line int) *File {
	end := slices.IndexFunc(f.Steps, func(s Step) bool { return s.Line == line && s.answers() })
	small := &File{Path: f.Path, Doors: []Door{d}, Steps: f.Steps[:end+1]}
	for size := end / 2; size > 0; size /= 2 {
		for at := 0; at+size < len(small.Steps); {
			try := &File{Path: f.Path, Doors: small.Doors}
			try.Steps = append(append(try.Steps, small.Steps[:at]...), small.Steps[at+size:]...)
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

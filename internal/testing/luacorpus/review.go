package luacorpus

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Finding is one finding of the linter in one script.
type Finding struct {
	Package, File, Script string // Script is the ID of the script
	Place                 string // line:column in the script
	Rule                  string
}

// Verdict is what a reviewer says of a finding.
type Verdict struct {
	Finding
	True   bool
	Reason string
}

// Review is the verdicts on findings, and the scripts without findings that were read.
type Review struct {
	Verdicts []Verdict
	Clean    map[string]bool // by ID
}

var (
	scriptID      = regexp.MustCompile(`^[0-9a-f]{10}$`)
	placeInScript = regexp.MustCompile(`^[0-9]+:[0-9]+$`)
)

// ReadReview reads a table: a line for each verdict, with tabs between package, file, script,
// place, rule, "true" or "false", and reason; a line "clean" and IDs for scripts without findings;
// comments begin with #.
func ReadReview(path string) (*Review, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &Review{Clean: map[string]bool{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(cells[0], "#"):
		case cells[0] == "clean":
			for _, id := range cells[1:] {
				r.Clean[id] = true
			}
		case len(cells) != 7 || cells[5] != "true" && cells[5] != "false" || cells[6] == "":
			return nil, fmt.Errorf("%s:%d: a verdict has seven cells, the sixth true or false, and a reason", path, n)
		case !scriptID.MatchString(cells[2]) || !placeInScript.MatchString(cells[3]):
			return nil, fmt.Errorf("%s:%d: the third cell is the ID of a script, the fourth line:column", path, n)
		default:
			r.Verdicts = append(r.Verdicts, Verdict{Finding{cells[0], cells[1], cells[2], cells[3], cells[4]}, cells[5] == "true", cells[6]})
		}
	}
	return r, lines.Err()
}

// Comparison is today's findings beside a review.
type Comparison struct {
	Scripts    int
	Unreviewed []string // findings without a verdict, with their texts
	Gone       []Finding
	Unread     []Script       // scripts without findings that the review does not know
	True       map[string]int // verdicts on today's findings, by rule
	False      map[string]int
}

// Compare lints scripts and looks for a verdict on each finding. known reports whether a script
// must be in the review.
func (r *Review) Compare(scripts []Script, known func(Script) bool) (*Comparison, error) {
	verdicts, used := map[Finding]*Verdict{}, map[Finding]bool{}
	ids := maps.Clone(r.Clean)
	for i, v := range r.Verdicts {
		verdicts[v.Finding] = &r.Verdicts[i]
		ids[v.Script] = true
	}
	c := &Comparison{True: map[string]int{}, False: map[string]int{}}
	for _, s := range scripts {
		found, err := s.Lint()
		if err != nil {
			return nil, err
		}
		if !ids[s.ID()] && !known(s) {
			c.Unread = append(c.Unread, s)
			continue
		}
		c.Scripts++
		for _, f := range found {
			key := Finding{s.Package, s.File, s.ID(), fmt.Sprintf("%d:%d", f.Line, f.Column), f.Rule}
			v := verdicts[key]
			switch {
			case v == nil:
				row := []string{key.Package, key.File, key.Script, key.Place, key.Rule, "?", f.Message}
				c.Unreviewed = append(c.Unreviewed, strings.Join(row, "\t"))
			case v.True:
				c.True[f.Rule]++
			default:
				c.False[f.Rule]++
			}
			used[key] = true
		}
	}
	for key := range verdicts {
		if !used[key] {
			c.Gone = append(c.Gone, key)
		}
	}
	slices.SortFunc(c.Gone, func(a, b Finding) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return c, nil
}

// Rate returns the part of the reviewed findings that are false, from 0 to 1.
func (c *Comparison) Rate() float64 {
	right, wrong := 0, 0
	for _, n := range c.True {
		right += n
	}
	for _, n := range c.False {
		wrong += n
	}
	return float64(wrong) / float64(max(right+wrong, 1))
}

// String returns the verdicts by rule as a table.
func (c *Comparison) String() string {
	var b strings.Builder
	rules := map[string]bool{}
	right, wrong := 0, 0
	for rule, n := range c.True {
		rules[rule], right = true, right+n
	}
	for rule, n := range c.False {
		rules[rule], wrong = true, wrong+n
	}
	fmt.Fprintf(&b, "%-24s %6s %6s\n", "rule", "true", "false")
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&b, "%-24s %6d %6d\n", rule, c.True[rule], c.False[rule])
	}
	fmt.Fprintf(&b, "%-24s %6d %6d   in %d scripts; %.1f %% false\n", "all", right, wrong, c.Scripts, 100*c.Rate())
	return b.String()
}

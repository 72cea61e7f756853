package luacorpus

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
)

// most is the part of the findings that may be false.
const most = 0.05

// Each finding in the scripts of this repository has a verdict. Scripts of tests and documents that
// are newer than the review need none: most are probes that are wrong on purpose, or excerpts.
func TestReviewOfTheRepository(t *testing.T) {
	scripts, err := Repository()
	require.NoError(t, err)
	require.Greater(t, len(scripts), 1500)
	review, err := ReadReview("testdata/repository.tsv")
	require.NoError(t, err)
	if _, err := seeds.Read("coupon_claim.lua"); err != nil {
		var kept []Verdict
		for _, v := range review.Verdicts {
			if v.Package != Seeds {
				kept = append(kept, v)
			}
		}
		review.Verdicts = kept
	}
	c, err := review.Compare(scripts, func(s Script) bool { return s.Package == Ready || s.Package == Seeds })
	require.NoError(t, err)
	t.Logf("\n%s%d scripts of tests and documents are newer than the review", c, len(c.Unread))
	require.Empty(t, c.Unreviewed, "new findings: read the scripts, and add lines to testdata/repository.tsv:\n%s",
		strings.Join(c.Unreviewed, "\n"))
	require.LessOrEqual(t, c.Rate(), most)
}

// A review whose findings are gone is out of date, unless the script itself is gone.
func TestReviewsAreUpToDate(t *testing.T) {
	scripts, err := Repository()
	require.NoError(t, err)
	present := map[string]bool{}
	for _, s := range scripts {
		present[s.ID()] = true
	}
	review, err := ReadReview("testdata/repository.tsv")
	require.NoError(t, err)
	c, err := review.Compare(scripts, func(Script) bool { return true })
	require.NoError(t, err)
	for _, f := range c.Gone {
		require.False(t, present[f.Script], "%v is no finding any more", f)
	}
}

func TestReviewsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\tc\t1:1\tr\tmaybe\twhy\n":              "a verdict has seven cells, the sixth true or false, and a reason",
		"a\tb\tc\t1:1\tr\ttrue\t\n":                  "a verdict has seven cells",
		"a\tb\n":                                     "a verdict has seven cells",
		"Error:\ta\tb\t0123456789\t1:1\ttrue\twhy\n": "the third cell is the ID of a script, the fourth line:column",
		"# a comment\nclean\tabc\tdef\n":             "",
	} {
		path := t.TempDir() + "/review.tsv"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		r, err := ReadReview(path)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.True(t, r.Clean["def"])
	}
}

func TestJavaScriptLiterals(t *testing.T) {
	source := "// 'no'\nconst a = 'it\\'s', b = /['\"]/g, c = x / 2 / 'y'.length /* \"no\" */\n" +
		"const d = `two\nlines`, e = `${a} no`, f = \"a\\tb\\n\"\n"
	var texts []string
	for _, l := range jsLiterals(source) {
		texts = append(texts, l.text)
	}
	require.Equal(t, []string{"it's", "y", "two\nlines", "a\tb\n"}, texts)
	require.Equal(t, 3, jsLiterals(source)[2].line)
}

func TestGoLiterals(t *testing.T) {
	found, err := goLiterals("package p\n\nvar a = \"x\" + `y\n` + \"z\"\n\nfunc f(s string) { f(\"b\" + s) }\n")
	require.NoError(t, err)
	require.Equal(t, []literal{{3, "xy\nz"}, {6, "b"}}, found)
}

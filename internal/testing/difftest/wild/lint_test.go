package wild

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/luacorpus"
)

// TestReviewOfPublishedPackages lints the scripts of all packages that this module plays. Each
// finding has a verdict, and few are false.
func TestReviewOfPublishedPackages(t *testing.T) {
	scripts, err := luacorpus.Published(".")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Greater(t, len(scripts), 120)
	review, err := luacorpus.ReadReview("../../luacorpus/testdata/published.tsv")
	require.NoError(t, err)
	c, err := review.Compare(scripts, func(luacorpus.Script) bool { return true })
	require.NoError(t, err)
	t.Logf("\n%s", c)
	require.Empty(t, c.Unreviewed, "new findings: read the scripts, and add lines to the table:\n%s", strings.Join(c.Unreviewed, "\n"))
	require.Empty(t, c.Gone, "these are no findings any more")
	require.LessOrEqual(t, c.Rate(), 0.05)
}

// No repair of a published script loses a definition or changes what it must not change.
func TestRepairsOfPublishedPackages(t *testing.T) {
	scripts, err := luacorpus.Published(".")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	r, err := luacorpus.CheckRepairs(scripts)
	require.NoError(t, err)
	t.Logf("%d of %d scripts with repairs: %d together, %d one by one; %d texts ran", r.Scripts, len(scripts), r.Together, r.OneByOne, r.Ran)
	require.Empty(t, r.Wrong)
}

package luatest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Results on servers become one result for each test: the worst, with what belongs to which server.
func TestResultsOnServersAreMerged(t *testing.T) {
	result := func(name string, s Status, message string) Result {
		r := Result{Names: []string{name}, Status: s}
		if message != "" {
			r.Problems = []Problem{{Phase: "test", Message: message}}
		}
		return r
	}
	merged := mergeResults([]string{"a", "b", "c"}, [][]Result{
		{result("same", Failed, "x"), result("passes", Passed, ""), result("twice", Passed, ""), result("twice", Failed, "y"),
			result("pends", Pending, ""), result("unlike", Failed, "1")},
		{result("same", Failed, "x"), result("passes", Passed, ""), result("twice", Passed, ""), result("twice", Failed, "y"),
			result("pends", Passed, ""), result("unlike", Errored, "2"), result("only b", Errored, "z")},
		{result("same", Failed, "x"), result("passes", Passed, ""), result("twice", Passed, ""), result("twice", Passed, ""),
			result("pends", NotRun, ""), result("unlike", Failed, "1")},
	})
	type seen struct {
		name   string
		status Status
		on     int
	}
	var all []seen
	for _, r := range merged {
		all = append(all, seen{r.Name(), r.Status, len(r.On)})
	}
	require.Equal(t, []seen{{"same", Failed, 0}, {"passes", Passed, 0}, {"twice", Passed, 0}, {"twice", Failed, 3},
		{"pends", NotRun, 3}, {"unlike", Errored, 3}, {"only b", Errored, 1}}, all)
	require.Nil(t, merged[0].Problems[0].On)
	require.Equal(t, []string{"a", "b"}, merged[3].Problems[0].On)
	require.Equal(t, []ServerResult{{"a", Passed}, {"b", Passed}, {"c", NotRun}}[2:], merged[4].On[2:])
	require.Equal(t, []string{"a", "c"}, merged[5].Problems[0].On)
	require.Equal(t, "2", merged[5].Problems[1].Message)
	require.Equal(t, []string{"b"}, merged[6].Problems[0].On)
}

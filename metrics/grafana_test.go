package metrics_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	table "github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// panel is the part of a panel of a dashboard that every panel has.
type panel struct {
	ID      int
	Type    string
	Title   string
	GridPos struct{ H, W, X, Y int }
	Targets []struct{ Expr, RefID string }
}

// series are the names of the time series that the metrics have in Prometheus.
func series() map[string]string {
	all := map[string]string{}
	for _, m := range table.Table() {
		if m.Kind != table.Histogram {
			all[m.Name] = m.Name
			continue
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			all[m.Name+suffix] = m.Name
		}
	}
	return all
}

func TestDashboardUsesTheMetrics(t *testing.T) {
	text, err := os.ReadFile("grafana.json")
	require.NoError(t, err)
	var board struct {
		Title, UID    string
		SchemaVersion int
		Panels        []panel
		Templating    struct{ List []struct{ Name, Type string } }
	}
	require.NoError(t, json.Unmarshal(text, &board))
	require.Equal(t, "Redmoon", board.Title)
	require.NotEmpty(t, board.UID)
	require.NotZero(t, board.SchemaVersion)

	variables := map[string]bool{"__rate_interval": true}
	for _, v := range board.Templating.List {
		variables[v.Name] = true
	}
	known, used, ids, cells := series(), map[string]bool{}, map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		require.False(t, ids[p.ID], "%s: id %d is used twice", p.Title, p.ID)
		ids[p.ID] = true
		require.Contains(t, []string{"row", "stat", "timeseries"}, p.Type)
		require.NotEmpty(t, p.Title)
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24)
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, cells[[2]int{x, y}], "%s overlaps", p.Title)
				cells[[2]int{x, y}] = p.Title
			}
		}
		require.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		for _, target := range p.Targets {
			names := regexp.MustCompile(`redmoon_\w+`).FindAllString(target.Expr, -1)
			require.NotEmpty(t, names, target.Expr)
			for _, name := range names {
				require.Contains(t, known, name, target.Expr)
				used[known[name]] = true
			}
			for _, v := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(target.Expr, -1) {
				require.True(t, variables[v[1]], "$%s in %s", v[1], target.Expr)
			}
			require.Equal(t, strings.Count(target.Expr, "("), strings.Count(target.Expr, ")"), target.Expr)
		}
	}
	for _, m := range table.Table() {
		require.True(t, used[m.Name], "no panel shows %s", m.Name)
	}
}

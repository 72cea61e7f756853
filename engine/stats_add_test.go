package engine_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// fillNumbers sets each number of a struct to another value.
func fillNumbers(v reflect.Value, first int64) {
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() && f.CanInt() {
			f.SetInt(first + int64(i)*int64(i))
		}
	}
}

// requireSums wants each number of sum to be that of a and b together, or, of the fields in longer,
// the greater one.
func requireSums(t *testing.T, a, b, sum any, longer ...string) {
	t.Helper()
	va, vb, vs := reflect.ValueOf(a), reflect.ValueOf(b), reflect.ValueOf(sum)
	for i := range vs.NumField() {
		name, f := vs.Type().Field(i).Name, vs.Field(i)
		switch {
		case !f.CanInt():
		case strings.Contains(strings.Join(longer, " "), name):
			require.Equal(t, max(va.Field(i).Int(), vb.Field(i).Int()), f.Int(), name)
		default:
			require.Equal(t, va.Field(i).Int()+vb.Field(i).Int(), f.Int(), name)
		}
	}
}

func TestAddedStats(t *testing.T) {
	var a, b engine.Stats
	for i, s := range []*engine.Stats{&a, &b} {
		first := int64(1 + 7000*i)
		fillNumbers(reflect.ValueOf(s).Elem(), first)
		s.Errors = map[string]int64{"ERR": first, "ONLY" + string(rune('A'+i)): 1}
		s.Busy = i == 1
		c := engine.CommandStats{Name: "get", Latency: []engine.LatencyBucket{{UpTo: 5, Calls: first}, {UpTo: 9, Calls: first + 1}}}
		fillNumbers(reflect.ValueOf(&c).Elem(), first)
		s.Commands = []engine.CommandStats{{Name: "a" + string(rune('0'+i))}, c}
		script := engine.ScriptStats{SHA1: "sha", Name: []string{"", "name"}[i]}
		fillNumbers(reflect.ValueOf(&script).Elem(), first)
		s.Scripts = []engine.ScriptStats{script}
	}
	a.Databases = []engine.DatabaseStats{{Number: 0, Keys: 9, Expiring: 1, AverageTTL: 10 * time.Second}, {Number: 3, Keys: 2}}
	b.Databases = []engine.DatabaseStats{{Number: 0, Keys: 5, Expiring: 3, AverageTTL: 30 * time.Second}, {Number: 2, Keys: 1},
		{Number: 3, Keys: 4, Expiring: 1, AverageTTL: 7 * time.Second}, {Number: 8, Keys: 1}}
	sum := a
	sum.Add(b)
	requireSums(t, a, b, sum, "Uptime")
	require.True(t, sum.Busy)
	require.Equal(t, map[string]int64{"ERR": 7002, "ONLYA": 1, "ONLYB": 1}, sum.Errors)
	require.EqualValues(t, 1, a.Errors["ERR"], "the sum has a map of its own")

	require.Len(t, sum.Commands, 3)
	require.Equal(t, "a1", sum.Commands[1].Name)
	requireSums(t, a.Commands[1], b.Commands[1], sum.Commands[2])
	require.Equal(t, []engine.LatencyBucket{{UpTo: 5, Calls: 7002}, {UpTo: 9, Calls: 7004}}, sum.Commands[2].Latency)
	require.EqualValues(t, 1, a.Commands[1].Latency[0].Calls, "the sum has buckets of its own")
	require.Len(t, sum.Scripts, 1)
	requireSums(t, a.Scripts[0], b.Scripts[0], sum.Scripts[0], "Longest")
	require.Equal(t, "name", sum.Scripts[0].Name)
	require.Equal(t, []engine.DatabaseStats{
		{Number: 0, Keys: 14, Expiring: 4, AverageTTL: 25 * time.Second},
		{Number: 2, Keys: 1},
		{Number: 3, Keys: 6, Expiring: 1, AverageTTL: 7 * time.Second},
		{Number: 8, Keys: 1},
	}, sum.Databases)

	a.Commands[1].Latency = nil
	sum = a
	sum.Add(b)
	require.Equal(t, b.Commands[1].Latency, sum.Commands[2].Latency)
}

package difftest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// configProbes are values that find out a parameter's type and range.
var configProbes = []string{"", "x", "-1", "-2", "0", "1", "5", "100", "101", "501", "65536", "yes", "NO", "1k", "1Kb", "2mb", "1gb",
	"2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "18446744073709551616",
	"everysec", "Warning", "allkeys-lru", "AKE", "gxK", "n", "900 1", "900 1 x", " 1", "1.5", "\x00"}

// configElsewhere are parameters whose probing would not be about their declaration.
var configElsewhere = map[string]bool{
	"port":        true, // the oracle can listen anew
	"appendonly":  true, // the oracle would write files
	"save":        true, // the oracle was started without
	"maxclients":  true, // depends on the process's limits
	"requirepass": true, // testdata/connection/auth.rdt
}

// TestConfigTable compares every parameter's default, type, range and canonical form with the oracle.
func TestConfigTable(t *testing.T) {
	needsOracle(t)
	require.NoError(t, theRunner.Oracle.Reset())
	defer func() { require.NoError(t, theRunner.Oracle.Reset()) }()
	theirs, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer theirs.Close()
	rm, err := NewRedmoon(time.Now())
	require.NoError(t, err)
	defer rm.Stop()
	ours, err := rm.Open()
	require.NoError(t, err)
	defer ours.Close()
	same := func(args ...string) {
		t.Helper()
		want, err := theirs.Do(args)
		require.NoError(t, err)
		got, err := ours.Do(args)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%q", args)
	}
	all := ask(t, ours, "CONFIG", "GET", "*").kids
	for i := 0; i < len(all); i += 2 {
		name := all[i].text
		if configElsewhere[name] {
			continue
		}
		same("CONFIG", "GET", name)
		for _, probe := range configProbes {
			same("CONFIG", "SET", name, probe)
			same("CONFIG", "GET", name)
		}
	}
}

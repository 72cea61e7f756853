package tier

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARunIncludesTheRunsBefore(t *testing.T) {
	skipped := func(name string, ask func(testing.TB)) bool {
		ran := false
		t.Setenv(Variable, name)
		t.Run(name, func(t *testing.T) {
			ask(t)
			ran = true
		})
		return !ran
	}
	for name, want := range map[string][2]bool{"": {true, true}, "test": {true, true}, "landing": {false, true}, "nightly": {false, false}} {
		require.Equal(t, want, [2]bool{skipped(name, Landing), skipped(name, Nightly)}, name)
	}
	t.Setenv(Variable, "nightl")
	require.Panics(t, func() { IsNightly() })
}

func TestNumberIsThatOfTheRunUnlessAVariableSaysOtherwise(t *testing.T) {
	const variable = "REDMOON_STEPS"
	t.Setenv(variable, "")
	for name, want := range map[string]int{"test": 3, "landing": 5, "nightly": 50} {
		t.Setenv(Variable, name)
		require.Equal(t, want, Number(variable, 3, 5), name)
	}
	t.Setenv(variable, "7")
	require.Equal(t, 7, Number(variable, 3, 5))
	for _, wrong := range []string{"0", "-1", "x", "1.5"} {
		t.Setenv(variable, wrong)
		require.Panics(t, func() { Number(variable, 3, 5) }, wrong)
	}
}

func TestSeed(t *testing.T) {
	t.Setenv("REDMOON_SEED", "")
	require.EqualValues(t, 1, Seed())
	t.Setenv("REDMOON_SEED", "42")
	require.EqualValues(t, 42, Seed())
	t.Setenv("REDMOON_SEED", "-1")
	require.Panics(t, func() { Seed() })
}

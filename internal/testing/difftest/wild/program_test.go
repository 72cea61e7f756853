package wild

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// play plays a program, once with each server in the lead, and compares all there is to compare.
func play(t *testing.T, p Program) {
	t.Helper()
	var transcript []string
	for _, lead := range []Lead{OracleLeads, RedmoonLeads} {
		o, err := p.Run(lead)
		skipWithoutOracle(t, err)
		require.NoError(t, err, "%s: %s; transcript so far: %q; differences: %q", p.Name, lead, o.Transcript, o.Differences)
		for _, d := range o.Differences {
			t.Errorf("%s, %s: %s", p.Name, lead, d)
		}
		require.GreaterOrEqual(t, len(o.Scripts), p.Scripts, "different scripts that %s ran", p.Name)
		require.Equal(t, p.Lacks, o.Lacks, "commands that Redmoon does not have and %s needs", p.Name)
		require.NotEmpty(t, o.Transcript)
		if transcript == nil {
			transcript = o.Transcript
		}
		require.Equal(t, transcript, o.Transcript, "%s: what its calls answered, oracle and redmoon", p.Name)
		t.Logf("%s, %s: %d requests compared, %d of them ran one of %d scripts", p.Name, lead, o.Requests, o.Scripted, len(o.Scripts))
	}
}

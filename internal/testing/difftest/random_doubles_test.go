package difftest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// doublesScript returns the floats of ARGV[1] as texts: as arguments of commands.
const doublesScript = `local r, text, at = {}, ARGV[1], 1
while at <= #text do
	local f
	f, at = struct.unpack('>d', text, at)
	r[#r + 1] = redis.call('ECHO', f)
end
return table.concat(r, ' ')`

// goldenBatches is the number of batches whose answers -record writes for the tests of package
// numbers.
const goldenBatches = 3

// TestRandomDoubles compares how servers since 7.2 write floats.
func TestRandomDoubles(t *testing.T) {
	for _, s := range servers.All() {
		if s.Has(servers.ShortDoubles) && oracles[s] != "" && (tier.IsNightly() || s == servers.Redis80) {
			t.Run(s.String(), func(t *testing.T) { testDoubles(t, s) })
		}
	}
}

func testDoubles(t *testing.T, s servers.Server) {
	o, err := StartOracleOf(s)
	if errors.Is(err, ErrNoOracle) && !inCI() {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer o.Stop()
	c, err := o.Open()
	require.NoError(t, err)
	defer c.Close()
	r := rand.New(rand.NewPCG(tier.Seed(), uint64(s)))
	const batch = 1000
	var golden strings.Builder
	for round := range tier.Number("REDMOON_STEPS", 20, 200) {
		var packed, want []byte
		var floats []float64
		for range batch {
			f := randomDouble(r)
			floats = append(floats, f)
			packed = binary.BigEndian.AppendUint64(packed, math.Float64bits(f))
			want = append(numbers.AppendShortArgument(want, f), ' ')
		}
		got, err := c.Do([]string{"EVAL", doublesScript, "0", string(packed)})
		require.NoError(t, err)
		_, text, _ := strings.Cut(strings.TrimSuffix(string(got), "\r\n"), "\r\n")
		if round < goldenBatches {
			for i, word := range strings.Fields(text) {
				fmt.Fprintf(&golden, "%016x %s\n", math.Float64bits(floats[i]), word)
			}
		}
		if text+" " != string(want) {
			ours, theirs := strings.Fields(string(want)), strings.Fields(text)
			require.Len(t, theirs, batch, text)
			for i := range ours {
				require.Equal(t, theirs[i], ours[i], fmt.Sprintf("%#x", math.Float64bits(floats[i])))
			}
		}
	}
	if *record && s == servers.Redis80 {
		require.NoError(t, os.WriteFile("../../base/numbers/testdata/short.txt", []byte(golden.String()), 0o644))
	}
}

// randomDouble returns a float: of any bits, or near a limit of the rules by which floats are
// written.
func randomDouble(r *rand.Rand) float64 {
	near := func(f float64) float64 { return math.Float64frombits(math.Float64bits(f) + r.Uint64N(7) - 3) }
	sign := float64(1 - 2*r.IntN(2))
	switch r.IntN(10) {
	case 0:
		return sign * near(math.Ldexp(1, r.IntN(2098)-1074))
	case 1:
		return sign * near(math.Pow(10, float64(r.IntN(632)-323)))
	case 2:
		return sign * math.Float64frombits(r.Uint64()>>(12+r.IntN(52))) // subnormal
	case 3:
		return sign * (math.Ldexp(1, 50+r.IntN(15)) + float64(r.IntN(4096)-2048))
	case 4:
		return sign * float64(r.Uint64()>>r.IntN(64)) // whole
	case 5:
		return sign * float64(r.Uint64()>>r.IntN(64)) * math.Pow(10, float64(r.IntN(40)-30)) // few digits
	case 6:
		return sign * float64(r.IntN(100000)) / math.Pow(10, float64(r.IntN(14)))
	}
	return math.Float64frombits(r.Uint64())
}

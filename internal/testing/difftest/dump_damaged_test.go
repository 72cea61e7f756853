package difftest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// damagedSeeds are the values whose dumps TestDamagedDumps damages.
const damagedSeeds = `
SET k 12345
SET k some_text_of_more_than_twenty_bytes_some_text_of_more_than_twenty_bytes
RPUSH k a 1 -2 300 70000 5000000000 text_text_text_text_text
HSET k f v g 1 h -70000 i text
HSET k long xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx g 1
ZADD k 1 a 2.5 b -inf c 1e30 d
ZADD k 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 2 b
SADD k 1 2 3 70000
SADD k a b c 1
`

// olderDumps are payloads in encodings that Redis 7.0 reads but does not write: lists of strings,
// scores as text, ziplists, a zipmap.
var olderDumps = []string{
	"\x01\x03\x01a\xc0\x07\x02bc",
	"\x03\x03\x01a\x031.5\x01b\xff\x01c\x03-2e",
	"\x09\x15\x02\x01a\x01\x001\x02bb\x09\x02xxxxxxx\x00\x00xx\xff",
	"\x0a\x1b\x1b\x00\x00\x00\x17\x00\x00\x00\x04\x00\x00\x01a\x03\xf8\x02\xc0\xe8\x03\x04\x01b\xff",
	"\x0c\x15\x15\x00\x00\x00\x12\x00\x00\x00\x04\x00\x00\x01f\x03\xf2\x02\x01g\x03\xf6\xff",
	"\x0d\x15\x15\x00\x00\x00\x12\x00\x00\x00\x04\x00\x00\x01f\x03\x01v\x03\x01g\x03\xf6\xff",
	"\x0e\x02\x0e\x0e\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x01a\xff\x0e\x0e\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x01b\xff",
}

const noFooter = "\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// damageDump changes a few bytes in the body of a dump.
func damageDump(r *rand.Rand, body string) string {
	b := []byte(body)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		switch r.IntN(8) {
		case 0:
			b = append(b[:at], b[min(at+1+r.IntN(3), len(b)):]...)
		case 1:
			b = append(b[:at], append([]byte{byte(r.Uint32())}, b[at:]...)...)
		case 2:
			b[at] ^= 1 << r.IntN(8)
		case 3:
			b[at] = []byte{0, 1, 2, 254, 255, 0x80, 0xc0, 0xf0}[r.IntN(8)]
		case 4:
			b[at]++
		case 5:
			b[at]--
		case 6:
			from := r.IntN(len(b))
			b = append(b[:at], b[from:]...)
		default:
			b[at] = byte(r.Uint32())
		}
		if len(b) == 0 {
			b = []byte{byte(r.IntN(20))}
		}
		b = b[:min(len(b), 400)]
	}
	return string(b)
}

// wild reports whether a body announces a table of very many elements: the oracle allocates it
// before it reads them, which takes minutes.
func wild(body string) bool {
	return len(body) > 1 && strings.IndexByte("\x02\x03\x04\x05\x12\x0e\x01", body[0]) >= 0 && body[1]&0xc0 == 0x80
}

// incomparable reports whether a body may be one that the oracle accepts although it is unusable:
// scores that are not numbers, and streams whose counts do not match their entries.
func incomparable(body string) bool {
	return strings.Contains(strings.ToLower(body), "nan") || body[0] == 15 || body[0] == 19
}

// TestDamagedDumps lets both sides restore dumps with mistakes in them, with sanitize-dump-payload:
// both accept or both refuse them, and the accepted values are the same. REDMOON_SEED and
// REDMOON_STEPS set another seed and number.
func TestDamagedDumps(t *testing.T) {
	needsOracle(t)
	r := rand.New(rand.NewPCG(tier.Seed(), 13))
	rm, err := NewRedmoon(Present())
	require.NoError(t, err)
	defer func() { require.NoError(t, rm.Stop()) }()
	ours, err := rm.Open()
	require.NoError(t, err)
	o, theirs := freshOracle(t)
	defer func() { o.Stop() }()
	p := &peers{t, theirs, ours}
	p.prepare()

	bodies := append([]string(nil), olderDumps...)
	for _, line := range strings.Split(strings.TrimSpace(damagedSeeds), "\n") {
		p.ask(p.oracle, "DEL", "k")
		p.ask(p.oracle, strings.Fields(line)...)
		dump := p.ask(p.oracle, "DUMP", "k")
		bodies = append(bodies, dump[:len(dump)-len(noFooter)])
	}
	taken, crashes := 0, 0
	for i := range tier.Number("REDMOON_STEPS", 2000, 6000) {
		body := damageDump(r, bodies[r.IntN(len(bodies))])
		if i < len(bodies) {
			body = bodies[i]
		}
		if wild(body) || incomparable(body) {
			continue
		}
		args := []string{"RESTORE", "k", "0", body + noFooter, "REPLACE"}
		raw, err := p.oracle.Do(args)
		if err != nil || string(raw) == Closed {
			crashes++
			require.Less(t, crashes, 100, "the oracle keeps ending; last by %q", body)
			o.Stop()
			o, p.oracle = freshOracle(t)
			p.prepare()
			p.ask(p.ours, args...)
			p.both("DEL", "k")
			continue
		}
		got, err := p.ours.Do(args)
		require.NoError(t, err)
		require.Equal(t, string(raw), string(got), "RESTORE of %s", strconv.QuoteToASCII(body))
		if raw[0] == '-' {
			continue
		}
		taken++
		for _, cmd := range [][]string{{"OBJECT", "ENCODING", "k"}, {"DEBUG", "DIGEST-VALUE", "k"}} {
			want, err := p.oracle.Do(cmd)
			require.NoError(t, err)
			got, err := p.ours.Do(cmd)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "%s after RESTORE of %s", cmd, strconv.QuoteToASCII(body))
		}
	}
	t.Logf("%d taken, the oracle ended %d times", taken, crashes)
	require.NotZero(t, taken)
}

func freshOracle(t *testing.T) (*Oracle, Conn) {
	o, err := StartOracle()
	require.NoError(t, err)
	c, err := o.Open()
	require.NoError(t, err)
	return o, c
}

// prepare makes both sides check every byte except those of the checksum.
func (p *peers) prepare() {
	p.both("CONFIG", "SET", "sanitize-dump-payload", "yes")
	p.both("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
}

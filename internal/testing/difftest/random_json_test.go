package difftest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRandomJSON decodes random JSON texts, whole and damaged, and encodes what came out, on the
// oracle and on Redmoon, under settings that change from batch to batch; in some batches the tables
// are changed in between. REDMOON_SEED=n chooses other texts, REDMOON_TEXTS=n how many. A
// difference is cut down to the bytes it needs.
func TestRandomJSON(t *testing.T) {
	needsOracle(t)
	p := newPair(t)
	randomTexts(t, jsonPair{p.theirs, p.ours}, tier.Number("REDMOON_TEXTS", 1000, 4000))
}

// randomTexts puts count texts through both sides of a pair.
func randomTexts(t *testing.T, p jsonPair, count int) {
	seed := tier.Seed()
	rng := rand.New(rand.NewPCG(seed, 17))
	refused, differing := 0, 0
	for done := 0; done < count && differing < 5; {
		texts := make([]string, min(100, count-done))
		done += len(texts)
		for i := range texts {
			texts[i] = randomJSON(rng)
			if rng.IntN(3) == 0 {
				texts[i] = damage(rng, texts[i])
			}
		}
		settings := randomSettings(rng) + randomChange(rng)
		want, got := p.ask(t, settings, texts)
		refused += bytes.Count(want, []byte("\r\n?"))
		if bytes.Equal(want, got) {
			continue
		}
		for _, text := range texts {
			if !p.differs(t, settings, text) {
				continue
			}
			differing++
			text = p.shrink(t, settings, text)
			want, got := p.ask(t, settings, []string{text})
			assert.Equal(t, string(want), string(got), "%q after%s", text, settings)
			break
		}
	}
	t.Logf("%d texts, of which %d are refused", count, refused)
}

// jsonPair is a session on the oracle and one on Redmoon.
type jsonPair struct{ oracle, redmoon Conn }

const throughJSON = `
local out = {}
for i = 1, #ARGV do
  local ok, v = pcall(cjson.decode, ARGV[i])
  if ok then
    if change and type(v) == 'table' then change(v) end
    local fine, text = pcall(cjson.encode, v)
    out[i] = (fine and '=' or '!') .. text
  else
    out[i] = '?' .. tostring(v)
  end
end
return out`

// ask puts the texts through both, and returns the raw replies.
func (p jsonPair) ask(t *testing.T, settings string, texts []string) (want, got []byte) {
	args := append([]string{"EVAL", settings + throughJSON, "0"}, texts...)
	want, err := p.oracle.Do(args)
	require.NoError(t, err)
	got, err = p.redmoon.Do(args)
	require.NoError(t, err)
	require.Equal(t, byte('*'), want[0], "%s", want)
	return want, got
}

func (p jsonPair) differs(t *testing.T, settings, text string) bool {
	want, got := p.ask(t, settings, []string{text})
	return !bytes.Equal(want, got)
}

// shrink looks for a short part of the text that differs too; where there is none it takes out
// single bytes.
func (p jsonPair) shrink(t *testing.T, settings, text string) string {
	for size := 1; size <= min(40, len(text)); size++ {
		for at := 0; at+size <= len(text); at++ {
			if part := text[at : at+size]; p.differs(t, settings, part) {
				return part
			}
		}
	}
	for size := len(text) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(text); {
			if try := text[:at] + text[at+size:]; p.differs(t, settings, try) {
				text = try
			} else {
				at += size
			}
		}
	}
	return text
}

// randomSettings are calls that set all that can be set.
func randomSettings(rng *rand.Rand) string {
	if rng.IntN(2) == 0 {
		return " cjson.encode_number_precision(14) cjson.encode_invalid_numbers(false) cjson.decode_invalid_numbers(true)" +
			" cjson.encode_max_depth(1000) cjson.decode_max_depth(1000) cjson.encode_sparse_array(false, 2, 10) "
	}
	var b strings.Builder
	set := func(name string, values ...string) { b.WriteString(" cjson." + name + "(" + pick(rng, values) + ")") }
	set("encode_number_precision", "14", "1", "3", "7", "13")
	set("encode_invalid_numbers", "true", "false", "'null'")
	set("decode_invalid_numbers", "true", "false")
	set("encode_max_depth", "1000", "1", "3")
	set("decode_max_depth", "1000", "4")
	set("encode_sparse_array", "false, 2, 10", "true, 2, 3", "false, 1, 1", "true, 0, 0")
	set("encode_keep_buffer", "true", "false")
	return b.String() + " "
}

// randomChange is a function that gives keys to a table and to all within it, and takes keys from
// them; it is nil in most batches.
func randomChange(rng *rand.Rand) string {
	if rng.IntN(3) > 0 {
		return " local change "
	}
	var b strings.Builder
	b.WriteString(" local function change(t) for _, v in pairs(t) do if type(v) == 'table' then change(v) end end ")
	for range 1 + rng.IntN(12) {
		key := pick(rng, []string{"'a'", "'id'", "'user'", "'amount'", "'1'", "'b'", "'c'", "'d'", "1", "2", "3", "4", "5", "#t", "#t + 1",
			"#t + 2", "8", "0", "-1", "1.5"})
		value := pick(rng, []string{"nil", "nil", "1", "'x'", "true", "{}", "cjson.null"})
		b.WriteString("t[" + key + "] = " + value + " ")
	}
	b.WriteString("end ")
	return b.String()
}

func randomJSON(rng *rand.Rand) string {
	g := jsonGenerator{rng: rng, sound: rng.IntN(3) > 0}
	g.value(1 + rng.IntN(5))
	return g.b.String()
}

// jsonGenerator writes one text. Unless the text must be valid, it has numbers and strings that
// JSON does not allow.
type jsonGenerator struct {
	rng   *rand.Rand
	sound bool
	b     strings.Builder
}

func (g *jsonGenerator) value(depth int) {
	g.space()
	switch n := g.rng.IntN(10); {
	case depth > 0 && n < 3:
		g.list('{', '}', depth, func() {
			g.string()
			g.space()
			g.b.WriteByte(':')
		})
	case depth > 0 && n < 6:
		g.list('[', ']', depth, func() {})
	case n < 8:
		g.number()
	case n == 8:
		g.string()
	default:
		g.b.WriteString(pick(g.rng, []string{"true", "false", "null"}))
	}
	g.space()
}

func (g *jsonGenerator) list(open, end byte, depth int, before func()) {
	g.b.WriteByte(open)
	for i := range g.rng.IntN(2 + 3*g.rng.IntN(5)) {
		if i > 0 {
			g.b.WriteByte(',')
		}
		g.space()
		before()
		g.value(depth - 1)
	}
	g.space()
	g.b.WriteByte(end)
}

func (g *jsonGenerator) space() {
	if g.rng.IntN(12) == 0 {
		g.b.WriteString(pick(g.rng, []string{" ", "\t", "\n", "\r\n", "  ", " \t "}))
	}
}

func (g *jsonGenerator) digits(most int) {
	for range 1 + g.rng.IntN(most) {
		g.b.WriteByte(byte('0' + g.rng.IntN(10)))
	}
}

func (g *jsonGenerator) number() {
	kind := g.rng.IntN(12)
	if g.sound {
		kind = max(kind, 3)
	}
	switch kind {
	case 0:
		g.b.WriteString(pick(g.rng, []string{"0", "-0", "1e400", "-1e400", "inf", "-inf", "nan", "NaN", "nan(7)", "Infinity", "0x1F", "-0x10",
			"0x", "01",
			"-012", "+1", "1.", ".5", "-.5", "1e", "1e+", "-", "--1", "1e5", "1E-5", "0.0001", "0.00001", "123456789012345", "9007199254740993",
			"4.9e-324", "1.7976931348623157e308", "99999999999999.5", "-99999999999999", "100000000000000", "0e0", "0.1e1x"}))
	case 1:
		g.b.WriteByte('-')
		g.digits(6)
		g.b.WriteByte('.')
		g.digits(20)
	case 2:
		g.digits(18)
		g.b.WriteByte('e')
		g.b.WriteString(strconv.Itoa(g.rng.IntN(80) - 40))
	case 3, 4:
		g.b.WriteString(strconv.Itoa(g.rng.IntN(100000)))
		g.b.WriteByte('.')
		g.digits(5)
	case 5:
		g.b.WriteByte('1')
		g.digits(25)
	default:
		g.b.WriteString(strconv.Itoa(g.rng.IntN(2000) - 500))
	}
}

func (g *jsonGenerator) string() {
	g.b.WriteByte('"')
	if g.rng.IntN(3) == 0 {
		g.b.WriteString(pick(g.rng, []string{"", "a", "id", "user", "amount", "1", "2", "-1", "1.5", "name:x"}))
	} else {
		for range g.rng.IntN(12) {
			g.char()
		}
	}
	g.b.WriteByte('"')
}

func (g *jsonGenerator) char() {
	kind := g.rng.IntN(16)
	if g.sound && (kind == 1 || kind == 3) {
		kind = 2
	}
	switch kind {
	case 0:
		g.b.WriteString(pick(g.rng, []string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`}))
	case 1:
		g.b.WriteString(`\u`)
		g.b.WriteString(pick(g.rng, []string{"0000", "0041", "00e9", "20AC", "d834", "D800", "dc00", "dfff", "ffff", "fffe", "007f", "0800",
			"07ff"}))
	case 2:
		g.b.WriteString(`\ud83d\ude` + pick(g.rng, []string{"00", "4f", "FF"}))
	case 3:
		g.b.WriteByte(byte(g.rng.IntN(256)))
	case 4:
		g.b.WriteString(pick(g.rng, []string{"é", "€", "😀", "\x7f", "/", "\x01", "\x1f", "\xff\xfe", "\xc0\x80"}))
	default:
		g.b.WriteByte(byte('a' + g.rng.IntN(26)))
	}
}

// damage changes a few bytes.
func damage(rng *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + rng.IntN(2) {
		at := rng.IntN(len(b) + 1)
		switch rng.IntN(5) {
		case 0:
			b = b[:at]
		case 1:
			b = slices.Insert(b, at, pick(rng, []byte("{}[]:,\"\\ 0-+.eEnu\x00\n'tf")))
		case 2:
			b = slices.Delete(b, at, min(len(b), at+1+rng.IntN(3)))
		case 3:
			if at < len(b) {
				b[at] = byte(rng.IntN(256))
			}
		default:
			b = append(b, pick(rng, []string{"]", "}", "x", " ", ",", "\x00", "1"})...)
		}
	}
	return string(b)
}

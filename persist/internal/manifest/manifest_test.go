package manifest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/manifest"
)

func parse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse([]byte(text))
	require.NoError(t, err)
	return m
}

func text(m *manifest.Manifest) string { return string(m.Append(nil)) }

const full = "file a.2.base.rdb seq 2 type b\n" +
	"file a.1.base.rdb seq 1 type h\n" +
	"file a.1.incr.aof seq 1 type h\n" +
	"file a.2.incr.aof seq 2 type i\n" +
	"file a.3.incr.aof seq 3 type i\n"

func TestAManifestIsPrintedAsItWasRead(t *testing.T) {
	m := parse(t, full)
	require.Equal(t, full, text(m))
	require.Equal(t, []manifest.File{{Name: "a.2.base.rdb", Seq: 2, Type: manifest.Base}, {Name: "a.2.incr.aof", Seq: 2, Type: manifest.Incr},
		{Name: "a.3.incr.aof", Seq: 3, Type: manifest.Incr}}, m.Files())
	require.False(t, m.Empty())
	require.True(t, parse(t, "# nothing\n").Empty())
}

func TestARewriteMovesFilesToHistory(t *testing.T) {
	m := parse(t, "file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n")
	c := m.Clone()
	incr, err := c.AddIncr("a")
	require.NoError(t, err)
	require.Equal(t, manifest.File{Name: "a.2.incr.aof", Seq: 2, Type: manifest.Incr}, incr)
	base, err := c.AddBase("a", true)
	require.NoError(t, err)
	require.Equal(t, manifest.File{Name: "a.2.base.rdb", Seq: 2, Type: manifest.Base}, base)
	c.Supersede(1)
	require.Equal(t, "file a.2.base.rdb seq 2 type b\nfile a.1.incr.aof seq 1 type h\nfile a.1.base.rdb seq 1 type h\n"+
		"file a.2.incr.aof seq 2 type i\n", text(c))
	require.Equal(t, "file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n", text(m), "the original is as it was")
	base, err = c.AddBase("a", false)
	require.NoError(t, err)
	require.Equal(t, "a.3.base.aof", base.Name)
}

// Redis gives the new file the name of the history file here, and then removes it.
func TestNewFilesNeverHaveTheNameOfAHistoryFile(t *testing.T) {
	m := parse(t, "file a.2.base.rdb seq 2 type b\nfile a.1.incr.aof seq 1 type h\nfile a.3.base.rdb seq 3 type h\n")
	incr, err := m.AddIncr("a")
	require.NoError(t, err)
	require.Equal(t, "a.2.incr.aof", incr.Name)
	base, err := m.AddBase("a", true)
	require.NoError(t, err)
	require.Equal(t, "a.4.base.rdb", base.Name)
}

func TestNumbersGoOnWhenAllFilesAreHistory(t *testing.T) {
	m := parse(t, "file a.7.incr.aof seq 7 type i\n")
	m.Supersede(0)
	m.History = nil
	incr, err := m.AddIncr("a")
	require.NoError(t, err)
	require.EqualValues(t, 8, incr.Seq)
}

func TestSequenceNumbersEnd(t *testing.T) {
	m := parse(t, "file x seq 9223372036854775807 type b\nfile y seq 9223372036854775807 type i\n")
	_, err := m.AddBase("a", true)
	require.ErrorIs(t, err, manifest.ErrSequence)
	_, err = m.AddIncr("a")
	require.ErrorIs(t, err, manifest.ErrSequence)
	require.Len(t, m.Files(), 2)
}

// Redis writes sequence number 0 after -1, and then refuses it.
func TestSequenceNumberZeroIsLeftOut(t *testing.T) {
	base, err := parse(t, "file x seq -1 type b\n").AddBase("a", true)
	require.NoError(t, err)
	require.EqualValues(t, 1, base.Seq)
}

func TestUnusualNamesAreReadBack(t *testing.T) {
	for _, name := range []string{"a b", `q"x`, "it's", "é", "tab\t", "\x01\xff", "#", "-"} {
		m := &manifest.Manifest{}
		base, err := m.AddBase(name, true)
		require.NoError(t, err)
		_, err = m.AddIncr(name)
		require.NoError(t, err)
		again := parse(t, text(m))
		require.Equal(t, base.Name, again.Base.Name)
		require.Equal(t, m, again)
	}
}

func TestNumbersAreReadAsAtollDoes(t *testing.T) {
	for word, want := range map[string]int64{
		"1": 1, "007": 7, "12x": 12, "+3": 3, `" 4"`: 4, "9223372036854775807": math.MaxInt64, "9223372036854775808": math.MaxInt64,
		strings.Repeat("9", 400): math.MaxInt64, "-5": -5, "-9223372036854775808": math.MinInt64, "-99999999999999999999": math.MinInt64,
	} {
		require.Equal(t, want, parse(t, "file f seq "+word+" type b\n").Base.Seq, word)
	}
}

func TestTooLongManifest(t *testing.T) {
	_, err := manifest.Parse([]byte(strings.Repeat("#\n", 8<<20) + "#"))
	require.ErrorContains(t, err, "too long")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, c := range cases {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if len(m.Append(nil)) == 0 {
			require.True(t, m.Empty())
			return
		}
		again, err := manifest.Parse(m.Append(nil))
		if err != nil { // escapes can make a line too long
			require.ErrorContains(t, err, "too long line")
			return
		}
		require.Equal(t, text(m), text(again))
		require.Equal(t, m.Files(), again.Files())
	})
}

package difftest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLDB plays the debugging sessions of testdata/ldb and compares the raw replies with those of
// Redis's debugger: live if there is an oracle, whose replies -record writes, otherwise with the
// recorded ones.
func TestLDB(t *testing.T) {
	sessions := 0
	for path, f := range ldbFiles(t) {
		var err error
		golden, want := strings.TrimSuffix(path, ".txt")+".golden", ldbGolden{}
		if !*record {
			want, err = readLDBGolden(golden, f)
			require.NoError(t, err, golden)
		}
		for _, s := range f.sessions {
			sessions++
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+s.name, func(t *testing.T) {
				if theRunner.Oracle != nil {
					require.NoError(t, theRunner.Oracle.Reset())
					theirs, err := playLDB(theRunner.Oracle, f.script, s)
					require.NoError(t, err)
					if *record {
						want[s.name] = theirs
						return
					}
					require.Equal(t, want[s.name], theirs, "the oracle no longer answers what was recorded")
				}
				if s.differs != "" {
					require.NotEqual(t, want[s.name], playHere(t, f.script, s), "this no longer differs")
					return
				}
				require.Equal(t, want[s.name], playHere(t, f.script, s))
			})
		}
		if *record {
			require.NoError(t, want.write(golden, f))
		}
	}
	require.GreaterOrEqual(t, sessions, 40)
}

// ldbFiles reads testdata/ldb.
func ldbFiles(t *testing.T) map[string]*ldbFile {
	paths, err := filepath.Glob(filepath.Join(Root(), "internal/testing/difftest/testdata/ldb/*.txt"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 12)
	files := map[string]*ldbFile{}
	for _, path := range paths {
		files[path], err = readLDBFile(path)
		require.NoError(t, err)
	}
	return files
}

// playHere plays a session on Redmoon.
func playHere(t *testing.T, script string, s ldbSession) []string {
	server, err := newRedmoonServer("", time.UnixMilli(1700000000000))
	require.NoError(t, err)
	defer func() { require.NoError(t, server.stop()) }()
	ours, err := playLDB(server, script, s)
	require.NoError(t, err)
	return ours
}

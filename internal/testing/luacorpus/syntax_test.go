package luacorpus

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// The linter and redis-server agree on which scripts of this repository compile.
func TestSyntaxErrorsAreThoseOfRedis(t *testing.T) {
	redistest.Need(t)
	scripts, err := Repository()
	require.NoError(t, err)
	oracle, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(oracle.Stop)
	refused := 0
	for _, s := range scripts {
		found, err := s.Lint()
		require.NoError(t, err)
		broken := len(found) == 1 && found[0].Rule == "syntax-error"
		library := strings.HasPrefix(s.Source, "#!") && strings.Contains(strings.ToLower(strings.SplitN(s.Source, "\n", 2)[0]), "name=")
		load := []string{"SCRIPT", "LOAD"}
		if library {
			load = []string{"FUNCTION", "LOAD"}
			_, err = oracle.Do("FUNCTION", "FLUSH")
			require.NoError(t, err)
		}
		_, err = oracle.Do(append(load, s.Before+s.Source)...)
		if broken {
			require.Error(t, err, "%s:%d compiles, but the linter says: %s", s.File, s.Line, found[0].Message)
			refused++
		} else if !library { // redis-server also runs libraries, which may fail
			require.NoError(t, err, "%s:%d", s.File, s.Line)
		}
	}
	require.Greater(t, refused, 300)
}

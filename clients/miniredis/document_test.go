package miniredis

import (
	"os"
	"reflect"
	"testing"

	theirs "github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"
)

// document returns docs/from-miniredis.md.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/from-miniredis.md")
	require.NoError(t, err)
	return string(text)
}

// docs/from-miniredis.md names every method.
func TestTheDocumentNamesEveryMethod(t *testing.T) {
	text := document(t)
	m := theirs.NewMiniRedis()
	for _, x := range []any{m, m.DB(0), &theirs.Subscriber{}} {
		for i := range reflect.TypeOf(x).NumMethod() {
			require.Contains(t, text, "`"+reflect.TypeOf(x).Method(i).Name+"`")
		}
	}
}

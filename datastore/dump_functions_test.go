package datastore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/stretchr/testify/require"
)

func TestFunctionsRoundTrip(t *testing.T) {
	texts := []string{"#!lua name=a\n" + strings.Repeat("x", 500), "", "#!lua name=b\n\x00\xff"}
	for _, compress := range []bool{false, true} {
		opt := DumpOptions{Compress: compress}
		got, err := RestoreFunctions(string(DumpFunctions(texts, opt)), opt)
		require.NoError(t, err)
		require.Equal(t, texts, got)
	}
}

func TestDamagedFunctionsAreRefusedOrRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := DumpFunctions([]string{"#!lua name=a\n" + strings.Repeat("ab", 300), "#!lua name=b\nx"}, DumpOptions{Compress: true})
	_, err := RestoreFunctions(string(whole[:len(whole)-1])+string([]byte{whole[len(whole)-1] ^ 1}), DumpOptions{})
	require.ErrorIs(t, err, ErrDumpFooter)
	refused := 0
	for range 20000 {
		b := append([]byte(nil), whole...)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b)-rdb.FooterSize)] = byte(r.Uint32())
		}
		if _, err := RestoreFunctions(string(b), DumpOptions{SkipChecksum: true}); err != nil {
			require.IsType(t, FunctionsError(""), err)
			refused++
		}
	}
	require.NotZero(t, refused)
}

package rdbhead_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

func TestBegins(t *testing.T) {
	for head, want := range map[string][2]bool{
		"REDIS0010\xfa": {true, true}, "REDIS": {true, true}, "VALKEY080": {false, true}, "VALKEY": {false, true},
		"VALKE": {}, "REDI": {}, "": {}, "*3\r\n": {}, "redis0010": {},
	} {
		require.Equal(t, want, [2]bool{rdbhead.Begins([]byte(head), false), rdbhead.Begins([]byte(head), true)}, head)
	}
}

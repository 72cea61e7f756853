package errtext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

func TestATextHasTheWordsOfItsServer(t *testing.T) {
	first := errtext.Usual("ERR a Redis text").Since("7.2.0", "ERR a later text")
	text := first.Since("-/8.0.0", "ERR a text")
	for s, want := range map[servers.Server]string{
		servers.Redis70: "ERR a Redis text", servers.Redis72: "ERR a later text", servers.Redis86: "ERR a later text",
		servers.Valkey72: "ERR a later text", servers.Valkey80: "ERR a text", servers.Valkey91: "ERR a text",
	} {
		require.Equal(t, want, text.Of(s), s)
	}
	require.Equal(t, "ERR a later text", first.Of(servers.Valkey91), "Since changes a copy")
}

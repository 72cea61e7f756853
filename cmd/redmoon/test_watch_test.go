package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The Lua tests of the ready scripts reach every line and take both ways of every branch.
func TestReadyScriptsAreCovered(t *testing.T) {
	t.Chdir("../..")
	var out bytes.Buffer
	std := &streams{in: strings.NewReader(""), out: &out, err: &out, interruptible: t.Context()}
	code := std.main([]string{"test", "--strict-keys=warn", "--coverage", "--fail-under", "100", "--fail-under-branches", "100", "scripts"})
	require.Zero(t, code, out.String())
	require.Contains(t, out.String(), "\nscripts/redpacket/grab.lua ")
}

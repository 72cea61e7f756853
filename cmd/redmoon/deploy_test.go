package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// TestDeployOverTLS deploys to a server with TLS and a password. The certificates of the machine
// are read once in a process, so the program runs as one of its own.
func TestDeployOverTLS(t *testing.T) {
	dir := certificates(t)
	addrs, stop := serving(t, 2, tlsFlags(dir, "--tls-auth-clients", "no", "--requirepass", "secret")...)
	defer stop()
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "redmoon")
	require.NoError(t, os.Symlink(self, program))
	scripts := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(scripts, "one.lua"), []byte("return 1"), 0o644))
	run := func(authority string, args ...string) (string, error) {
		cmd := exec.CommandContext(patience.Context(t), program, append(append([]string{"deploy"}, args...), scripts)...)
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+authority, "SSL_CERT_DIR="+scripts)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	address := "rediss://:secret@" + addrs[1]
	out, err := run(filepath.Join(dir, "ca.crt"), "--yes", address)
	require.NoError(t, err, out)
	require.Contains(t, out, "has 1 script and 0 libraries")
	out, err = run(filepath.Join(dir, "ca.crt"), "--check", address)
	require.NoError(t, err, out)

	for name, c := range map[string]struct{ authority, address, want string }{
		"an unknown authority": {os.DevNull, address, "certificate signed by unknown authority"},
		"a wrong password":     {filepath.Join(dir, "ca.crt"), strings.Replace(address, "secret", "guess", 1), "WRONGPASS"},
		"no password":          {filepath.Join(dir, "ca.crt"), "rediss://" + addrs[1], "NOAUTH"},
	} {
		out, err := run(c.authority, "--yes", c.address)
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, name)
		require.Equal(t, 2, exit.ExitCode(), name)
		require.Contains(t, out, c.want, name)
		require.NotContains(t, out, "guess", name)
	}
}

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// certificates writes an authority, ca.crt, and a certificate that it has signed, c.crt with c.key,
// for 127.0.0.1.
func certificates(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, kind string, der []byte) {
		block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), block, 0o600))
	}
	now := time.Now()
	make := func(serial int64, parent *x509.Certificate, parentKey *ecdsa.PrivateKey, name string) (*x509.Certificate, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		c := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Hour),
			NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
		if parent == nil {
			parent, parentKey = c, key
		}
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, parentKey)
		require.NoError(t, err)
		write(name+".crt", "CERTIFICATE", der)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		write(name+".key", "PRIVATE KEY", private)
		return c, key
	}
	ca, caKey := make(1, nil, nil, "ca")
	make(2, ca, caKey, "c")
	return dir
}

// tlsFlags returns the flags of "redmoon serve" for the certificates of dir.
func tlsFlags(dir string, more ...string) []string {
	in := func(name string) string { return filepath.Join(dir, name) }
	return append([]string{"--addr", "127.0.0.1:0", "--tls-port=-1", "--tls-cert-file", in("c.crt"), "--tls-key-file", in("c.key"),
		"--tls-ca-cert-file", in("ca.crt")}, more...)
}

func TestServeSpeaksTLSWithRedisCLI(t *testing.T) {
	cli, err := exec.LookPath("redis-cli")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := certificates(t)
	addrs, stop := serving(t, 2, tlsFlags(dir)...)
	_, port, err := net.SplitHostPort(addrs[1])
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(dir, name) }
	run := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command(cli, append([]string{"--tls", "-p", port, "--cacert", in("ca.crt")}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	own := []string{"--cert", in("c.crt"), "--key", in("c.key")}
	out, err := run("", append(own, "SET", "k", "v")...)
	require.NoError(t, err)
	require.Equal(t, "OK\n", out)
	out, err = run("", append(own, "CONFIG", "GET", "tls-port")...)
	require.NoError(t, err)
	require.Equal(t, "tls-port\n"+port+"\n", out)
	large := strings.Repeat("x", 3<<20)
	out, err = run(large, append(own, "-x", "SET", "large")...)
	require.NoError(t, err)
	require.Equal(t, "OK\n", out)
	out, err = run("", append(own, "GET", "large")...)
	require.NoError(t, err)
	require.Equal(t, large+"\n", out)
	out, err = run("BLPOP none 0.01\nPING\n", own...)
	require.NoError(t, err)
	require.Equal(t, "\nPONG\n", out)
	out, err = run("", "PING")
	require.Error(t, err, "a client without a certificate: %s", out)
	require.NotContains(t, out, "PONG")
	require.Equal(t, "v", ask(t, "tcp", addrs[0], "GET", "k"))
	require.Zero(t, stop())
}

func TestServeTakesTLSClientsWithoutCertificates(t *testing.T) {
	dir := certificates(t)
	pool := x509.NewCertPool()
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(ca))
	for _, mode := range []string{"no", "optional"} {
		addrs, stop := serving(t, 2, tlsFlags(dir, "--tls-auth-clients", mode)...)
		nc, err := tls.Dial("tcp", addrs[1], &tls.Config{RootCAs: pool})
		require.NoError(t, err)
		_, err = nc.Write(resp.AppendCommand(nil, "PING"))
		require.NoError(t, err)
		v, err := resp.NewDecoder(nc).Decode()
		require.NoError(t, err)
		require.Equal(t, "PONG", v.Text())
		require.Zero(t, stop(), "the client is still there")
		_, err = nc.Read(make([]byte, 1))
		require.Error(t, err)
		_ = nc.Close()
	}
}

func TestServeRefusesInvalidTLSFiles(t *testing.T) {
	dir := certificates(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"--tls-port=-1"}, "No tls-cert-file configured!\n"},
		{[]string{"--tls-port=-1", "--tls-cert-file", in("c.crt"), "--tls-key-file", in("ca.key")}, "TLS certificate"},
		{[]string{"--tls-port=-1", "--tls-cert-file", in("c.crt"), "--tls-key-file", in("c.key")}, "without tls-ca-cert-file"},
		{[]string{"--tls-port=-1", "--tls-cert-file", in("c.crt"), "--tls-key-file", in("c.key"), "--tls-ca-cert-file", in("c.key")},
			"has no certificate"},
		{[]string{"--unix", in("s"), "--unixsocketperm", "8"}, "couldn't be parsed as an octal number"},
	} {
		var stderr bytes.Buffer
		std := &streams{out: io.Discard, err: &stderr, interruptible: context.Background()}
		require.Equal(t, 1, std.main(append([]string{"serve", "--addr", "127.0.0.1:0"}, c.args...)))
		require.Contains(t, stderr.String(), c.text)
	}
}

func TestServeSetsThePermissionsOfItsSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "redmoon")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	_, stop := serving(t, 1, "--addr", "", "--unix", path, "--unixsocketperm", "0700")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.Equal(t, "700", askSecond(t, path, "CONFIG", "GET", "unixsocketperm"))
	require.Zero(t, stop())
}

// askSecond returns the second element of the reply to a command over a unix socket.
func askSecond(t *testing.T, path string, args ...string) string {
	t.Helper()
	nc, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer nc.Close()
	_, err = nc.Write(resp.AppendCommand(nil, args...))
	require.NoError(t, err)
	v, err := resp.NewDecoder(nc).Decode()
	require.NoError(t, err)
	require.Len(t, v.Slice(), 2)
	return v.Slice()[1].Text()
}

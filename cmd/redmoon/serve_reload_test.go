package main

import (
	"crypto/tls"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownCertificate returns the certificate that a server shows to a client with the certificate of
// dir.
func shownCertificate(t *testing.T, addr, dir string) ([]byte, error) {
	t.Helper()
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "c.crt"), filepath.Join(dir, "c.key"))
	require.NoError(t, err)
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{own}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_, err = c.Write([]byte("PING\r\n")) // TLS 1.3 reports after the handshake that a client is refused
	require.NoError(t, err)
	if _, err = c.Read(make([]byte, 7)); err != nil {
		return nil, err
	}
	return c.ConnectionState().PeerCertificates[0].Raw, nil
}

func TestConfigSetReadsCertificatesAgain(t *testing.T) {
	first, second := certificates(t), certificates(t)
	addrs, stop := serving(t, 2, tlsFlags(first)...)
	shown, err := shownCertificate(t, addrs[1], first)
	require.NoError(t, err)
	set := func(args ...string) string {
		return ask(t, "tcp", addrs[0], append([]string{"CONFIG", "SET"}, args...)...)
	}
	in := func(name string) string { return filepath.Join(second, name) }

	const failed = "ERR CONFIG SET failed (possibly related to argument '"
	const why = "') - Unable to update TLS configuration. Check server logs."
	require.Equal(t, failed+"tls-cert-file"+why, set("tls-cert-file", "/nosuch"))
	require.Equal(t, failed+"tls-key-file"+why, set("timeout", "5", "tls-key-file", in("c.key"), "tls-ca-cert-file", in("ca.crt")))
	require.Equal(t, failed+"tls-ca-cert-file"+why, set("tls-ca-cert-file", ""))
	again, err := shownCertificate(t, addrs[1], first)
	require.NoError(t, err)
	require.Equal(t, shown, again, "what failed changes nothing")
	require.NotContains(t, ask(t, "tcp", addrs[0], "EVAL", "return table.concat(redis.call('CONFIG', 'GET', 't*'), ' ')", "0"), "timeout 5")

	require.Equal(t, "OK", set("tls-cert-file", in("c.crt"), "tls-key-file", in("c.key"), "tls-ca-cert-file", in("ca.crt")))
	_, err = shownCertificate(t, addrs[1], first)
	require.Error(t, err, "another authority")
	now, err := shownCertificate(t, addrs[1], second)
	require.NoError(t, err)
	require.NotEqual(t, shown, now)
	require.Equal(t, "OK", set("tls-auth-clients", "no"))
	_, err = shownCertificate(t, addrs[1], first)
	require.NoError(t, err, "no certificate is asked for")
	require.Zero(t, stop())
}

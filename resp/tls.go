package resp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// TLS names the PEM files of a TLS server. The fields are Redis's parameters.
type TLS struct {
	Cert string // tls-cert-file: the server's certificate, followed by intermediate certificates
	Key  string // tls-key-file: its private key
	// tls-ca-cert-file: the authorities of client certificates; required unless Clients is "no"
	CA string
	// Clients is tls-auth-clients: "yes" (also "") requires a certificate from every client,
	// "optional" verifies one if the client sends it, "no" does not ask for one.
	Clients string
}

// Config reads the files. It returns an error if one cannot be read or is invalid.
func (t TLS) Config() (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("resp: TLS certificate: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	switch t.Clients {
	case "", "yes":
		c.ClientAuth = tls.RequireAndVerifyClientCert
	case "optional":
		c.ClientAuth = tls.VerifyClientCertIfGiven
	case "no":
		return c, nil
	default:
		return nil, fmt.Errorf("resp: TLS: tls-auth-clients is %q, want yes, no or optional", t.Clients)
	}
	if t.CA == "" {
		return nil, errors.New("resp: TLS: client certificates cannot be verified without tls-ca-cert-file")
	}
	pem, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("resp: TLS: tls-ca-cert-file: %w", err)
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("resp: TLS: %s has no certificate", t.CA)
	}
	return c, nil
}

// ListenTLS is [Listen] for TLS. config is usually from [TLS.Config].
func ListenTLS(addr string, config *tls.Config) (net.Listener, error) {
	l, err := Listen(addr)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l, config), nil
}

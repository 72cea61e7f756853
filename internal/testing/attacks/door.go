package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// door is a way to connect to a server.
type door string

const (
	tcp    door = "tcp"
	socket door = "unix"
	secure door = "tls"
)

// args opens the door of a server whose files are in dir. It writes a certificate there.
func (d door) args(dir, tlsPort string) ([]string, error) {
	switch d {
	case socket:
		return []string{"--unixsocket", filepath.Join(dir, "socket")}, nil
	case secure:
		cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
		return []string{"--tls-port", tlsPort, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert,
			"--tls-auth-clients", "no"}, certificate(cert, key)
	}
	return nil, nil
}

// come connects through a door. The receive buffers of the system are small, so that what is not
// read waits in the server.
func (p *process) come(d door) (*client, error) {
	dialer := net.Dialer{Timeout: limit}
	var nc net.Conn
	var err error
	if d == socket {
		nc, err = dialer.Dial("unix", filepath.Join(p.dir, "socket"))
	} else {
		addr := p.addr
		if d == secure {
			addr = p.secure
		}
		if nc, err = dialer.Dial("tcp", addr); err == nil {
			err = nc.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		if err == nil && d == secure {
			t := tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
			err = t.Handshake()
			nc = t
		}
	}
	if err != nil {
		return nil, err
	}
	return &client{nc, bufio.NewReader(nc)}, nil
}

// certificate writes a certificate that signs itself, and its key.
func certificate(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		return err
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}), 0o600)
}

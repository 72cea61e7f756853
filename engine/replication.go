package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// replicationEnv returns what replication needs of the engine.
func (e *Engine) replicationEnv() replication.Env {
	return replication.Env{
		After: func(d time.Duration, f func()) (stop func()) {
			return e.clock.AfterFunc(d, func() { e.onTime(f) })
		},
		Do:       e.onLoop,
		Soon:     func(f func()) { e.files.posts.post(e, funcRequest, f) },
		Now:      e.clock.Now,
		TempFile: tempFile,

		Clock: e.clock, Dial: e.dialMaster, Execute: e.obey, ReplaceLibraries: e.replaceLibraries,
	}
}

// tempFile makes a file that has no name any more, where the system allows it, and is gone when it
// is closed.
func tempFile() (replication.File, error) {
	f, err := os.CreateTemp("", "redmoon-sync-*.rdb")
	if err != nil {
		return nil, err
	}
	return &unnamed{f, os.Remove(f.Name()) == nil}, nil
}

// unnamed is a file that is removed when it is closed.
type unnamed struct {
	*os.File
	removed bool
}

// Close implements [io.Closer].
func (f *unnamed) Close() error {
	err := f.File.Close()
	if !f.removed {
		_ = os.Remove(f.Name())
	}
	return err
}

// dialMaster connects to a master.
func (e *Engine) dialMaster(ctx context.Context, addr string, encrypted bool) (net.Conn, error) {
	var c *tls.Config
	var err error
	dialer := &net.Dialer{}
	if doErr := e.onLoop(func() {
		if ip := net.ParseIP(e.server.Config.Value("bind-source-addr")); ip != nil {
			dialer.LocalAddr = &net.TCPAddr{IP: ip}
		}
		if encrypted {
			c, err = masterTLS(e.server.Config.Value)
		}
	}); doErr != nil {
		return nil, doErr
	}
	switch {
	case err != nil:
		return nil, err
	case !encrypted:
		return dialer.DialContext(ctx, "tcp", addr)
	}
	return (&tls.Dialer{NetDialer: dialer, Config: c}).DialContext(ctx, "tcp", addr)
}

// masterTLS returns the configuration of TLS for the connection to a master, from the parameters
// tls-*.
func masterTLS(value func(string) string) (*tls.Config, error) {
	// Like Redis, it checks the certificate of the master but not the name in it.
	c := &tls.Config{InsecureSkipVerify: true} // VerifyConnection checks it
	roots := x509.NewCertPool()
	if path := value("tls-ca-cert-file"); path != "" {
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		roots.AppendCertsFromPEM(pem)
	}
	c.VerifyConnection = func(s tls.ConnectionState) error {
		o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
		for _, cert := range s.PeerCertificates[1:] {
			o.Intermediates.AddCert(cert)
		}
		_, err := s.PeerCertificates[0].Verify(o)
		return err
	}
	cert, key := value("tls-client-cert-file"), value("tls-client-key-file")
	if cert == "" {
		cert, key = value("tls-cert-file"), value("tls-key-file")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// obey runs a command of the master. A command that would wait ends without a reply.
func (e *Engine) obey(sess *server.Session, args []string) Value {
	v, w := e.execute(sess, args, nil)
	if w != nil && w.Handed() == nil {
		e.server.Cancel(w)
	}
	e.serveReady()
	return v
}

// replaceLibraries replaces the function libraries.
func (e *Engine) replaceLibraries(texts []string) error {
	fresh := newRegistry()
	for _, text := range texts {
		if err := fresh.addNew(text, e.firstLine(), func(lib *luabridge.Library) error {
			return e.functions.load(lib, luabridge.CompileLimits{First: e.firstLine(), Coverage: e.options.Coverage, Profile: e.options.Profile})
		}); err != nil {
			return err
		}
	}
	e.functions.registry = fresh
	return nil
}

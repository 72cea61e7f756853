package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// listenConfig holds the addresses to listen on: those of the flags, or else those of the
// configuration file, or else the defaults.
type listenConfig struct {
	addrs   []address
	bind    string // parameter bind; "": as in the file
	port    string // noTCP: no TCP
	tlsPort int    // 0: no TLS; -1: a free port
	tls     resp.TLS
	unix    string
	perm    string // octal digits

	config atomic.Pointer[tls.Config] // for new TLS connections

	listeners []net.Listener // TCP, TLS and the unix socket, in this order
}

// address is an address to listen on, without the port.
type address struct {
	network, host string
	optional      bool // ignored if this machine does not have it
}

const noTCP = "none"

func (c *serveCommand) listenConfig(file *engine.ConfigFile) *listenConfig {
	value := func(flag, name string) string {
		if flag == "" && file != nil {
			return file.Value(name)
		}
		return flag
	}
	p := &listenConfig{unix: value(c.Unix, "unixsocket"), perm: value(c.UnixPerm, "unixsocketperm")}
	p.tls = resp.TLS{Cert: value(c.TLSCert, "tls-cert-file"), Key: value(c.TLSKey, "tls-key-file"),
		CA: value(c.TLSCA, "tls-ca-cert-file"), Clients: cmp.Or(value(c.TLSClients, "tls-auth-clients"), "yes")}
	if c.TLSPort != nil {
		p.tlsPort = *c.TLSPort
	} else if file != nil {
		p.tlsPort, _ = strconv.Atoi(file.Value("tls-port"))
	}
	if c.Addr == nil && file != nil {
		p.addrs, p.port = bindAddresses(file.Value("bind")), file.Value("port")
		if p.port == "0" || len(p.addrs) == 0 {
			p.port = noTCP
		}
		return p
	}
	addr := resp.DefaultAddr
	if c.Addr != nil {
		addr = *c.Addr
	}
	host, port, err := net.SplitHostPort(cmp.Or(addr, resp.DefaultAddr))
	if err != nil { // net.Listen reports the error
		host, port = addr, ""
	}
	p.addrs, p.bind, p.port = []address{{network: "tcp", host: host}}, host, port
	if addr == "" {
		p.port = noTCP
	}
	return p
}

// bindAddresses parses the parameter bind.
func bindAddresses(bind string) []address {
	var all []address
	for _, word := range strings.Fields(bind) {
		host, optional := strings.CutPrefix(word, "-")
		a := address{network: "tcp4", host: host, optional: optional}
		switch {
		case host == "*":
			a.host = "0.0.0.0"
		case host == "::*":
			a.network, a.host = "tcp6", "::"
		case strings.Contains(host, ":"):
			a.network = "tcp6"
		}
		all = append(all, a)
	}
	return all
}

// open opens the listeners. It closes all of them if one cannot be opened.
func (p *listenConfig) open() (listeners []net.Listener, err error) {
	if p.port != noTCP {
		err = p.listenTCP(p.port, nil)
	}
	if p.tlsPort != 0 && err == nil {
		var config *tls.Config
		if config, err = p.tls.Config(); err == nil {
			p.config.Store(config)
			config = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return p.config.Load(), nil }}
			err = p.listenTCP(strconv.Itoa(max(p.tlsPort, 0)), config)
		}
	}
	if p.unix != "" && err == nil {
		err = p.listenUnix()
	}
	if err == nil && len(p.listeners) == 0 {
		err = errors.New("neither an address nor a unix socket to listen on is given")
	}
	if err != nil {
		closeAll(p.listeners)
		return nil, err
	}
	return p.listeners, nil
}

// reload reads the certificates that the parameters name again.
func (p *listenConfig) reload(value func(name string) string) error {
	config, err := resp.TLS{Cert: value("tls-cert-file"), Key: value("tls-key-file"), CA: value("tls-ca-cert-file"),
		Clients: value("tls-auth-clients")}.Config()
	if err == nil {
		p.config.Store(config)
	}
	return err
}

// listenTCP listens on all addresses: with TLS if config is not nil. It stores the port that the
// first listener got.
func (p *listenConfig) listenTCP(port string, config *tls.Config) error {
	for _, a := range p.addrs {
		l, err := net.Listen(a.network, net.JoinHostPort(a.host, port))
		switch {
		case err != nil && (errors.Is(err, syscall.EAFNOSUPPORT) || a.optional && errors.Is(err, syscall.EADDRNOTAVAIL)):
			continue
		case err != nil:
			return err
		}
		port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		if config != nil {
			l = tls.NewListener(l, config)
			p.tlsPort, _ = strconv.Atoi(port)
		} else {
			p.port = port
		}
		p.listeners = append(p.listeners, l)
	}
	return nil
}

func (p *listenConfig) listenUnix() error {
	perm, err := strconv.ParseUint("0"+p.perm, 8, 32)
	if err != nil || perm > 0o777 {
		return fmt.Errorf("--unixsocketperm: %q is not an octal number up to 777", p.perm)
	}
	l, err := net.Listen("unix", p.unix)
	if err != nil {
		return err
	}
	p.listeners = append(p.listeners, l)
	if perm == 0 {
		return nil
	}
	return os.Chmod(p.unix, os.FileMode(perm))
}

// parameters returns the configuration parameters that describe the listeners.
func (p *listenConfig) parameters() map[string]string {
	fixed := map[string]string{"port": p.port, "tls-port": strconv.Itoa(p.tlsPort)}
	if p.port == noTCP {
		fixed["port"] = "0"
	}
	if p.bind != "" && p.port != noTCP {
		fixed["bind"] = p.bind
	}
	if p.tlsPort != 0 {
		fixed["tls-auth-clients"] = p.tls.Clients
		fixed["tls-cert-file"], fixed["tls-key-file"], fixed["tls-ca-cert-file"] = p.tls.Cert, p.tls.Key, p.tls.CA
	}
	if p.unix != "" {
		fixed["unixsocket"], fixed["unixsocketperm"] = p.unix, cmp.Or(strings.TrimLeft(p.perm, "0"), "0")
	}
	return fixed
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/resp"
)

// listen opens the listeners: TCP, TLS and the unix socket, in this order. On an error none stays open.
func (c *serveCommand) listen() (listeners []net.Listener, err error) {
	add := func(l net.Listener, lerr error) {
		if err = lerr; err == nil {
			listeners = append(listeners, l)
		}
	}
	if c.Addr != "" {
		add(net.Listen("tcp", c.Addr))
	}
	if c.TLSPort != 0 && err == nil {
		add(c.listenTLS())
	}
	if c.Unix != "" && err == nil {
		add(c.listenUnix())
	}
	if err == nil && len(listeners) == 0 {
		err = errors.New("neither --addr nor --unix is given")
	}
	if err != nil {
		closeAll(listeners)
		return nil, err
	}
	return listeners, nil
}

func (c *serveCommand) listenTLS() (net.Listener, error) {
	config, err := resp.TLS{Cert: c.TLSCert, Key: c.TLSKey, CA: c.TLSCA, Clients: c.TLSClients}.Config()
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(c.Addr)
	if c.Addr == "" {
		host, _, err = net.SplitHostPort(resp.DefaultAddr)
	}
	if err != nil {
		return nil, err
	}
	return resp.ListenTLS(net.JoinHostPort(host, strconv.Itoa(max(c.TLSPort, 0))), config)
}

func (c *serveCommand) listenUnix() (net.Listener, error) {
	perm, err := strconv.ParseUint("0"+c.UnixPerm, 8, 32)
	if err != nil || perm > 0o777 {
		return nil, fmt.Errorf("--unixsocketperm: %q are no octal digits up to 777", c.UnixPerm)
	}
	l, err := net.Listen("unix", c.Unix)
	if err != nil || perm == 0 {
		return l, err
	}
	if err := os.Chmod(c.Unix, os.FileMode(perm)); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// fixed are the parameters that tell where the listeners listen.
func (c *serveCommand) fixed(listeners []net.Listener) map[string]string {
	fixed := map[string]string{"port": "0", "tls-port": "0"}
	rest := listeners
	port := func() string {
		l := rest[0]
		rest = rest[1:]
		return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	}
	if c.Addr != "" {
		fixed["port"] = port()
		if host, _, err := net.SplitHostPort(c.Addr); err == nil && host != "" {
			fixed["bind"] = host
		}
	}
	if c.TLSPort != 0 {
		fixed["tls-port"], fixed["tls-auth-clients"] = port(), c.TLSClients
		fixed["tls-cert-file"], fixed["tls-key-file"], fixed["tls-ca-cert-file"] = c.TLSCert, c.TLSKey, c.TLSCA
	}
	if c.Unix != "" {
		fixed["unixsocket"], fixed["unixsocketperm"] = c.Unix, cmp.Or(strings.TrimLeft(c.UnixPerm, "0"), "0")
	}
	return fixed
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

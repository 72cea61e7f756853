package backend

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"strings"
)

// Login is how to log in to a server.
type Login struct {
	User, Password string
	DB             int  // of the address; 0 if it names none
	NamesDB        bool // the address names a database
}

// Command returns the AUTH command, or nil if the address has no password.
func (l *Login) Command() []string {
	switch {
	case l.Password == "":
		return nil
	case l.User == "":
		return []string{"AUTH", l.Password}
	}
	return []string{"AUTH", l.User, l.Password}
}

// Dial connects to the server of an address as [Connect] takes it, without logging in. config,
// which may be nil, is used for rediss://; it may lack the name of the server.
func Dial(ctx context.Context, address string, config *tls.Config) (net.Conn, Login, error) {
	to, err := parseAddress(address)
	if err != nil {
		return nil, Login{}, err
	}
	if to.tls != nil && config != nil {
		name := to.tls.ServerName
		if to.tls = config.Clone(); to.tls.ServerName == "" {
			to.tls.ServerName = name
		}
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	w, err := dial(ctx, to)
	if err != nil {
		return nil, Login{}, err
	}
	_, path, _ := strings.Cut(address, "://")
	_, path, _ = strings.Cut(path, "/")
	names := to.db != 0 || strings.Trim(path, "/") == "0" || strings.Contains(address, "db=")
	return w.nc, Login{User: to.user, Password: to.password, DB: to.db, NamesDB: names}, nil
}

// Name returns the address as a URL without user and password, for people.
func Name(address string) (string, error) {
	to, err := parseAddress(address)
	if err != nil {
		return "", err
	}
	switch {
	case to.network == "unix":
		return "unix://" + to.addr, nil
	case to.tls != nil:
		return "rediss://" + to.addr, nil
	}
	return "redis://" + to.addr, nil
}

// At returns the address of another server with the scheme and login of address. hostPort is its
// host and port.
func At(address, hostPort string) (string, error) {
	to, err := parseAddress(address)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: "redis", Host: hostPort}
	if to.tls != nil {
		u.Scheme = "rediss"
	}
	if to.user != "" || to.password != "" {
		u.User = url.UserPassword(to.user, to.password)
	}
	return u.String(), nil
}

// Encrypted reports whether connections to an address use TLS.
func Encrypted(address string) bool {
	to, err := parseAddress(address)
	return err == nil && to.tls != nil
}

package backend

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// address is the address of a server, and the login there.
type address struct {
	network, addr  string
	user, password string
	db             int
	tls            *tls.Config // nil: plain
}

const defaultPort = "6379"

// parseAddress parses host:port or a URL: redis://[[user]:password@]host[:port][/db], rediss:// for
// TLS, or unix://[…@]/path[?db=n]. Its errors do not contain the password.
func parseAddress(text string) (address, error) {
	if !strings.Contains(text, "://") {
		text = "redis://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return address{}, errors.New("the address is not of the form host:port, " +
			"redis://user:password@host:port/db or unix:///path")
	}
	a := address{network: "tcp", addr: u.Host}
	a.user = u.User.Username()
	a.password, _ = u.User.Password()
	db := strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "redis", "rediss":
		port := u.Port()
		if port == "" {
			port = defaultPort
		}
		host := u.Hostname()
		if host == "" {
			host = "127.0.0.1"
		}
		a.addr = net.JoinHostPort(host, port)
		if u.Scheme == "rediss" {
			a.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
		}
	case "unix":
		a.network, a.addr, db = "unix", u.Path, ""
		if a.addr == "" {
			return a, errors.New("the address names no socket")
		}
	default:
		return a, fmt.Errorf("%s: not one of redis, rediss and unix", u.Scheme)
	}
	if q := u.Query().Get("db"); q != "" {
		db = q
	}
	if db != "" {
		if a.db, err = strconv.Atoi(db); err != nil || a.db < 0 {
			return a, fmt.Errorf("%q is not the number of a database", db)
		}
	}
	return a, nil
}

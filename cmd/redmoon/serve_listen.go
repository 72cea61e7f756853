package main

import (
	"crypto/tls"
	"os"
	"strconv"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/listen"
	"github.com/redmoon-lua/redmoon/resp"
)

// listenConfig says where to listen, as the configuration has it.
func (s *server) listenConfig() listen.Config {
	s.value = s.file.Value
	number := func(name string) int {
		n, _ := strconv.Atoi(s.file.Value(name)) // has been checked
		return n
	}
	perm, _ := strconv.ParseUint(s.file.Value("unixsocketperm"), 8, 32) // has been checked
	c := listen.Config{Bind: s.file.Value("bind"), Port: number("port"), TLSPort: number("tls-port"), Unix: s.file.Value("unixsocket"),
		Perm: os.FileMode(perm), Backlog: number("tcp-backlog"), Mark: number("socket-mark-id"), TLS: s.readTLS}
	c.Free, c.FreeTLS = s.own.free()
	c.NeedTLS = s.file.Value("tls-replication") == "yes" || s.file.Value("tls-cluster") == "yes"
	return c
}

// readTLS reads the files of TLS and logs what is wrong with them.
func (s *server) readTLS() (*tls.Config, error) {
	files := resp.TLS{Cert: s.value("tls-cert-file"), Key: s.value("tls-key-file"), CA: s.value("tls-ca-cert-file"),
		Clients: s.value("tls-auth-clients")}
	config, err := files.Config()
	switch {
	case files.Cert == "":
		s.log.Warn("No tls-cert-file configured!")
	case files.Key == "":
		s.log.Warn("No tls-key-file configured!")
	case err != nil:
		s.log.Warn(err.Error())
	}
	return config, err
}

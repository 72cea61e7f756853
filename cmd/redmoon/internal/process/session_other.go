//go:build !unix

package process

import (
	"errors"
	"syscall"
)

func ownSession() (*syscall.SysProcAttr, error) {
	return nil, errors.New("daemonize: this system has no sessions; start the server as a service")
}

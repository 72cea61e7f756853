//go:build !unix

package process

import "errors"

func stopSelf() error { return errors.New("this system cannot stop a process") }

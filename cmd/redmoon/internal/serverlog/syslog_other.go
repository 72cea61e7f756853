//go:build windows || plan9

package serverlog

import "errors"

// UseSyslog returns an error: the system has no syslog.
func (l *Log) UseSyslog(facility, ident string) error {
	return errors.New("syslog-enabled: this system has no syslog")
}

//go:build !windows && !plan9

package serverlog

import (
	"fmt"
	"log/slog"
	"log/syslog"
)

var facilities = map[string]syslog.Priority{
	"user": syslog.LOG_USER, "local0": syslog.LOG_LOCAL0, "local1": syslog.LOG_LOCAL1, "local2": syslog.LOG_LOCAL2,
	"local3": syslog.LOG_LOCAL3, "local4": syslog.LOG_LOCAL4, "local5": syslog.LOG_LOCAL5, "local6": syslog.LOG_LOCAL6,
	"local7": syslog.LOG_LOCAL7,
}

// UseSyslog sends the lines to the log of the system too. facility is a value of the parameter
// syslog-facility.
func (l *Log) UseSyslog(facility, ident string) error {
	w, err := syslog.New(facilities[facility]|syslog.LOG_NOTICE, ident)
	if err != nil {
		return fmt.Errorf("syslog: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.system = func(level slog.Level, line string) { // errors are lost, as those of the file
		switch mark(level) {
		case ".":
			_ = w.Debug(line)
		case "-":
			_ = w.Info(line)
		case "*":
			_ = w.Notice(line)
		default:
			_ = w.Warning(line)
		}
	}
	return nil
}

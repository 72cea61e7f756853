package serverlog

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Verbose is the level verbose of Redis, between debug and notice.
const Verbose = slog.LevelDebug + 2

// levels are the names of the parameter loglevel.
var levels = map[string]slog.Level{"debug": slog.LevelDebug, "verbose": Verbose, "notice": slog.LevelInfo, "warning": slog.LevelWarn}

// Roles of the process, as the letters of its lines.
const (
	Master   = 'M'
	Replica  = 'S'
	Child    = 'C' // also a server that has not read its configuration yet
	Sentinel = 'X'
)

// Log is a log of a server. It is safe for concurrent use.
type Log struct {
	out   io.Writer
	now   func() time.Time
	watch atomic.Pointer[func(message string)]
	pid   int
	level atomic.Int64
	role  atomic.Int32

	mu     sync.Mutex
	file   string
	system func(level slog.Level, line string) // writes to syslog; nil: not used
}

// Options of a log.
type Options struct {
	Out io.Writer // where lines go while there is no file
	Now func() time.Time
	PID int
}

// New returns a log with the level notice, without a file, of a process in the role [Child].
func New(o Options) *Log {
	l := &Log{out: o.Out, now: o.Now, pid: o.PID}
	l.role.Store(Child)
	return l
}

// SetRole sets the letter that says who writes.
func (l *Log) SetRole(role rune) { l.role.Store(role) }

// SetLevel sets the level below which nothing is written: a value of the parameter loglevel. Other
// values are ignored.
func (l *Log) SetLevel(name string) {
	if level, ok := levels[name]; ok {
		l.level.Store(int64(level))
	}
}

// SetFile makes lines go to a file. It is opened for each line, so that it may be moved away. "" is
// the output that the log was made with.
func (l *Log) SetFile(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = path
}

// CheckFile returns an error if the file cannot be opened for appending.
func CheckFile(path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}

// Logger returns a logger that writes to the log.
func (l *Log) Logger() *slog.Logger { return slog.New(&handler{log: l}) }

func (l *Log) enabled(level slog.Level) bool { return int64(level) >= l.level.Load() }

// Watch makes f get each message of the level notice or above after it is written, also if the
// level of the log is higher. f may write to the log.
func (l *Log) Watch(f func(message string)) { l.watch.Store(&f) }

// watched reports whether somebody gets messages of a level; see [Log.Watch].
func (l *Log) watched(level slog.Level) bool { return level >= slog.LevelInfo && l.watch.Load() != nil }

// write writes one message, if its level is high enough.
func (l *Log) write(level slog.Level, text string) {
	if !l.enabled(level) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	head := strconv.Itoa(l.pid) + ":" + string(l.role.Load()) + " " + l.now().Format("02 Jan 2006 15:04:05.000") + " " + mark(level) + " "
	l.put(head + text + "\n")
	if l.system != nil {
		l.system(level, text)
	}
}

// Signal writes what a signal handler of Redis writes: a line with the seconds of Unix time.
func (l *Log) Signal(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(fmt.Sprintf("%d:signal-handler (%d) %s\n", l.pid, l.now().Unix(), text))
}

// Raw writes a text as it is, whatever the level is.
func (l *Log) Raw(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(text)
}

// put writes to the file or the output. As in Redis, what cannot be written is lost. Caller must
// hold mu.
func (l *Log) put(line string) {
	if l.file == "" {
		_, _ = io.WriteString(l.out, line)
		return
	}
	f, err := open(l.file)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = io.WriteString(f, line)
}

// mark is the letter of a level.
func mark(level slog.Level) string {
	switch {
	case level < Verbose:
		return "."
	case level < slog.LevelInfo:
		return "-"
	case level < slog.LevelWarn:
		return "*"
	}
	return "#"
}

package ldb

import (
	"strconv"
	"strings"
)

const defaultMaxLen = 256

// log holds the lines that are sent at the next stop.
type log struct {
	lines     []string
	maxLen    int  // maximum length of a value in bytes; 0: no limit
	hintGiven bool // the client knows the command maxlen
}

// add adds a line.
func (l *log) add(line string) { l.lines = append(l.lines, line) }

// addValue adds a line that is trimmed if it is longer than maxLen.
func (l *log) addValue(line string) {
	if l.maxLen == 0 || len(line) <= l.maxLen {
		l.add(line)
		return
	}
	l.add(line[:l.maxLen] + " ...")
	if !l.hintGiven {
		l.hintGiven = true
		l.add("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
	}
}

var lineBreaks = strings.NewReplacer("\r", " ", "\n", " ")

// take returns the lines as a RESP array and empties the log.
func (l *log) take() []byte {
	b := append(strconv.AppendInt([]byte{'*'}, int64(len(l.lines)), 10), "\r\n"...)
	for _, line := range l.lines {
		b = append(append(append(b, '+'), lineBreaks.Replace(line)...), "\r\n"...)
	}
	l.lines = l.lines[:0]
	return b
}

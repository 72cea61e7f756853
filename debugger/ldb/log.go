package ldb

import (
	"strconv"
	"strings"
)

const defaultMaxLen = 256

// log is what is to be told at the next stop.
type log struct {
	lines  []string
	maxLen int  // bytes of a value; 0: any number
	hinted bool // that maxlen can be changed
}

// add adds a line. It begins and ends where a C string does.
func (l *log) add(line string) { l.lines = append(l.lines, line) }

// addValue adds a line that is cut when it is long.
func (l *log) addValue(line string) {
	if l.maxLen == 0 || len(line) <= l.maxLen {
		l.add(line)
		return
	}
	l.add(line[:l.maxLen] + " ...")
	if !l.hinted {
		l.hinted = true
		l.add("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
	}
}

var blanks = strings.NewReplacer("\r", " ", "\n", " ")

// take makes an array of the lines and empties the log.
func (l *log) take() []byte {
	b := append(strconv.AppendInt([]byte{'*'}, int64(len(l.lines)), 10), "\r\n"...)
	for _, line := range l.lines {
		b = append(append(append(b, '+'), blanks.Replace(line)...), "\r\n"...)
	}
	l.lines = l.lines[:0]
	return b
}

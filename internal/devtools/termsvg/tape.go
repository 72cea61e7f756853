package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tape is what happens in a session.
type tape struct {
	width, height int
	title         string
	steps         []step
	files         map[string]string
}

// step is a line of a tape.
type step struct {
	line  int
	verb  string // type, press, await or pause
	text  string
	match *regexp.Regexp
	pause time.Duration
}

func parse(content string) (*tape, error) {
	t := &tape{width: 80, height: 24, files: map[string]string{}}
	file := ""
	n := 0
	for line := range strings.Lines(content) {
		n++
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			file = strings.TrimSuffix(name, " --")
			t.files[file] = ""
			continue
		}
		if file != "" {
			t.files[file] += line
			continue
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := t.add(n, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return t, nil
}

func (t *tape) add(n int, line string) (err error) {
	verb, rest, _ := strings.Cut(line, " ")
	s := step{line: n, verb: verb, text: rest}
	switch verb {
	case "size":
		_, err = fmt.Sscan(rest, &t.width, &t.height)
		return err
	case "title":
		t.title = rest
		return nil
	case "type", "press":
	case "await":
		s.match, err = regexp.Compile("(?m)" + rest)
	case "pause":
		var seconds float64
		seconds, err = strconv.ParseFloat(rest, 64)
		s.pause = time.Duration(seconds * float64(time.Second))
	default:
		err = fmt.Errorf("unknown command %q", verb)
	}
	t.steps = append(t.steps, s)
	return err
}

package wild

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// request is one command of a client: its arguments, the name first.
type request []string

// name is the command's name in upper case.
func (r request) name() string { return strings.ToUpper(r[0]) }

// is reports whether the request calls a command, or a subcommand ("SCRIPT LOAD").
func (r request) is(command string) bool {
	first, second, sub := strings.Cut(command, " ")
	return strings.EqualFold(r[0], first) && (!sub || len(r) > 1 && strings.EqualFold(r[1], second))
}

// script returns the place of the argument that is a script's text or SHA1; 0 when the request has
// none.
func (r request) script() int {
	switch r.name() {
	case "EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO":
		if len(r) > 1 {
			return 1
		}
	case "SCRIPT":
		if len(r) > 2 && (r.is("SCRIPT LOAD") || r.is("SCRIPT EXISTS")) {
			return 2
		}
	}
	return 0
}

// runsScript reports whether the request runs a script.
func (r request) runsScript() bool { return r.script() == 1 }

// bySHA reports whether the request names its script by its SHA1.
func (r request) bySHA() bool {
	return strings.HasPrefix(r.name(), "EVALSHA") || r.is("SCRIPT EXISTS")
}

// String is the request in a line, for messages.
func (r request) String() string {
	words := make([]string, len(r))
	for i, a := range r {
		if len(a) > 400 {
			a = a[:400] + "..."
		}
		words[i] = strconv.Quote(a)
	}
	return strings.Join(words, " ")
}

// readRequest reads one multibulk request, the only form that client libraries send.
func readRequest(r *bufio.Reader) (request, error) {
	n, err := readHeader(r, '*')
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, fmt.Errorf("a request of %d arguments", n)
	}
	req := make(request, n)
	for i := range req {
		size, err := readHeader(r, '$')
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		req[i] = string(b[:size])
	}
	return req, nil
}

// readHeader reads a line that holds a mark and a length.
func readHeader(r *bufio.Reader, mark byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" || line[0] != mark {
		return 0, fmt.Errorf("%q where a length after %q was expected", line, mark)
	}
	n, err := strconv.Atoi(line[1:])
	if err == nil && (n < 0 || n > 1<<28) {
		err = fmt.Errorf("length %d", n)
	}
	return n, err
}

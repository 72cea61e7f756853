package difftest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// readFrame reads one reply of RESP2 or RESP3, with everything in it, as raw bytes.
func readFrame(r *bufio.Reader, dst []byte) ([]byte, error) {
	at := len(dst)
	line, err := r.ReadSlice('\n')
	dst = append(dst, line...)
	for err == bufio.ErrBufferFull {
		line, err = r.ReadSlice('\n')
		dst = append(dst, line...)
	}
	line = dst[at:]
	if err != nil {
		return dst, err
	}
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return dst, fmt.Errorf("reply line %q", line)
	}
	if line[0] == '-' || line[0] == '+' {
		return dst, nil
	}
	n, err := strconv.Atoi(string(line[1 : len(line)-2]))
	switch line[0] {
	case '$', '=', '!':
		if err != nil {
			return dst, fmt.Errorf("reply line %q", line)
		}
		if n < 0 {
			return dst, nil
		}
		at := len(dst)
		dst = append(dst, make([]byte, n+2)...)
		_, err = io.ReadFull(r, dst[at:])
		return dst, err
	case '*', '~', '>', '%', '|':
		if err != nil {
			return dst, fmt.Errorf("reply line %q", line)
		}
		if line[0] == '%' || line[0] == '|' {
			n *= 2
		}
		if line[0] == '|' {
			n++
		}
		for range n {
			if dst, err = readFrame(r, dst); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case ':', ',', '#', '_', '(':
		return dst, nil
	}
	return dst, fmt.Errorf("reply line %q", line)
}

// elements are the raw replies in an array.
func elements(raw []byte) ([][]byte, bool) {
	if len(raw) == 0 || raw[0] != '*' {
		return nil, false
	}
	i := bytes.IndexByte(raw, '\n') + 1
	n, err := strconv.Atoi(string(raw[1:max(1, i-2)]))
	if err != nil || n < 0 {
		return nil, false
	}
	list := make([][]byte, n)
	rest := raw[i:]
	for i := range list {
		_, after, err := parseFrame(rest)
		if err != nil {
			return nil, false
		}
		list[i], rest = rest[:len(rest)-len(after)], after
	}
	return list, true
}

// node is a parsed reply for a relaxed comparison.
type node struct {
	mark byte   // the type byte; a null is '_' in each of its forms
	text string // of lines and bulks
	kids []node
}

// parseFrame parses one raw reply and returns the bytes after it.
func parseFrame(raw []byte) (node, []byte, error) {
	i := 0
	for i < len(raw) && raw[i] != '\n' {
		i++
	}
	if i < 2 || i == len(raw) {
		return node{}, nil, io.ErrUnexpectedEOF
	}
	n := node{mark: raw[0], text: string(raw[1 : i-1])}
	rest := raw[i+1:]
	count, err := strconv.Atoi(n.text)
	switch n.mark {
	case '$', '=', '!':
		if err == nil && count < 0 {
			return node{mark: '_'}, rest, nil
		}
		if err != nil || count > len(rest)-2 {
			return n, nil, io.ErrUnexpectedEOF
		}
		n.text = string(rest[:count])
		return n, rest[count+2:], nil
	case '*', '~', '>', '%', '|':
		if err != nil {
			return n, nil, err
		}
		if count < 0 {
			return node{mark: '_'}, rest, nil
		}
		n.text = ""
		switch n.mark {
		case '%':
			count *= 2
		case '|':
			count = 2*count + 1
		}
		for range count {
			var kid node
			if kid, rest, err = parseFrame(rest); err != nil {
				return n, nil, err
			}
			n.kids = append(n.kids, kid)
		}
	}
	return n, rest, nil
}

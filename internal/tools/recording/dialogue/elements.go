package dialogue

import (
	"strconv"
	"strings"
)

// Elements returns the elements of an array or another list in RESP, each as its bytes. ok is false
// if raw is something else, or not complete.
func Elements(raw string) (elements []string, ok bool) {
	head, rest, found := strings.Cut(raw, "\r\n")
	if !found || head == "" || strings.IndexByte("*~>%", head[0]) < 0 {
		return nil, false
	}
	n, err := strconv.Atoi(head[1:])
	if err != nil || n < 0 {
		return nil, false
	}
	if head[0] == '%' {
		n *= 2
	}
	var s scanner
	bytes := []byte(rest)
	for len(elements) < n {
		s.reset()
		size, done, err := s.feed(bytes)
		if err != nil || !done {
			return nil, false
		}
		elements = append(elements, rest[:size])
		rest, bytes = rest[size:], bytes[size:]
	}
	return elements, rest == ""
}

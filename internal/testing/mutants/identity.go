package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// String writes an identity as files have it: fields with tabs between them.
func (i identity) String() string {
	return strings.Join([]string{i.path, i.function, i.kind, strconv.Itoa(i.ordinal), i.text}, "\t")
}

func parseIdentity(line string) (identity, error) {
	f := strings.SplitN(line, "\t", 5)
	if len(f) < 5 {
		return identity{}, fmt.Errorf("%q is not path, function, kind, number and line with tabs between them", line)
	}
	n, err := strconv.Atoi(f[3])
	return identity{f[0], f[1], f[2], n, f[4]}, err
}

// readIdentities reads a file of identities in its order. A line that begins with a tab explains
// the identity before it; one that begins with # is a comment.
func readIdentities(text string) (list []identity, reasons map[identity]string, err error) {
	reasons = map[identity]string{}
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		line := s.Text()
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			if len(list) == 0 {
				return nil, nil, fmt.Errorf("a reason without a mutant: %q", line)
			}
			last := list[len(list)-1]
			reasons[last] = strings.TrimSpace(reasons[last] + " " + strings.TrimSpace(line))
		default:
			i, err := parseIdentity(line)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, i)
		}
	}
	return list, reasons, nil
}

// save writes the identities of mutants to a file.
func save(file string, mutants []*mutant) error {
	var b strings.Builder
	for _, m := range mutants {
		fmt.Fprintln(&b, m.identity)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

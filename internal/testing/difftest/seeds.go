package difftest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// seedMark begins an argument that stands for a script of the seeds folder.
const seedMark = "\x00seed:"

// idMark begins an argument that stands for the client id of a session.
const idMark = "\x00id:"

// nodeMark is an argument that stands for the server's name in the cluster.
const nodeMark = "\x00node"

// withIDs puts the sessions' client ids, and the server's name, for the arguments that stand for
// them.
func (p *pass) withIDs(args []string) ([]string, error) {
	for i, a := range args {
		if a == nodeMark {
			name, err := p.nodeName()
			if err != nil {
				return nil, err
			}
			args = append([]string(nil), args...)
			args[i] = name
		}
		name, ok := strings.CutPrefix(a, idMark)
		if !ok {
			continue
		}
		s := p.sessions[name]
		if s == nil {
			return nil, fmt.Errorf("session %s is not open", name)
		}
		args = append([]string(nil), args...)
		args[i] = s.id
	}
	return args, nil
}

func (p *pass) nodeName() (string, error) {
	c, err := p.peer.Open()
	if err != nil {
		return "", err
	}
	defer c.Close()
	raw, err := c.Do([]string{"CLUSTER", "MYID"})
	if err != nil {
		return "", err
	}
	n, _, err := parseFrame(raw)
	return n.text, err
}

func withSeeds(args []string, seeds func(string) (string, error)) ([]string, error) {
	for i, a := range args {
		name, ok := strings.CutPrefix(a, seedMark)
		if !ok {
			continue
		}
		text, err := seeds(name)
		if err != nil {
			return nil, err
		}
		args = append([]string(nil), args...)
		args[i] = text
	}
	return args, nil
}

// Root is the folder of the module that the working directory is in, or "".
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

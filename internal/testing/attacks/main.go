package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// attack is one way to attack a server.
type attack struct {
	name, does string
	// run attacks a server and returns the figures.
	run func(s server, o options) (figures, error)
	// verdict compares the figures of both. It returns what is wrong with Redmoon's, or "".
	verdict func(redmoon, redis figures) string
}

// figures are what an attack has measured, in the order of print.
type figures []figure

type figure struct {
	name  string
	value int64
	unit  string
}

// of returns the value of a name, or -1.
func (f figures) of(name string) int64 {
	for _, x := range f {
		if x.name == name {
			return x.value
		}
	}
	return -1
}

func (f figures) String() string {
	list := make([]string, len(f))
	for i, x := range f {
		list[i] = strings.TrimSpace(fmt.Sprintf("%s %d %s", x.name, x.value, x.unit))
	}
	return strings.Join(list, ", ")
}

type options struct {
	times int  // how often; 0: the attack's own default
	quick bool // through TCP only
}

var attacks = []attack{failedLoad, unread, unfinishedInput, unfinishedStranger, unreadMessages, unreadMessages3, unreadLarge,
	unreadMonitor, unreadTracking, unreadRedirect, unreadReplica, unreadReplies, unfinishedCommand, lzfBombs, manyScripts}

func main() {
	var o options
	redmoon := flag.String("redmoon", "", "the program redmoon; default: this tree, built")
	redis := flag.String("redis", "", "the program redis-server; default: the one on the PATH")
	flag.IntVar(&o.times, "n", 0, "how often an attack is made; default: its own number")
	flag.BoolVar(&o.quick, "quick", false, "attack through TCP only, not through TLS and a unix socket too")
	flag.Parse()
	bad, err := run(*redmoon, *redis, o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

func run(redmoon, redis string, o options, names []string) (bad int, err error) {
	if redmoon == "" {
		dir, err := os.MkdirTemp("", "attacks")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		if redmoon, err = build(dir); err != nil {
			return 0, err
		}
	}
	if redis == "" {
		if redis, err = redistest.Find(); err != nil {
			return 0, err
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(attacks, func(a attack) bool { return a.name == name }) {
			return 0, fmt.Errorf("there is no attack %s", name)
		}
	}
	for _, a := range attacks {
		if len(names) > 0 && !slices.Contains(names, a.name) {
			continue
		}
		fmt.Printf("%s: %s\n", a.name, a.does)
		theirs, err := a.run(server{"redis-server", []string{redis}}, o)
		if err != nil {
			return bad, err
		}
		fmt.Printf("  redis-server    %s\n", theirs)
		ours, err := a.run(server{"redmoon serve", []string{redmoon, "serve"}}, o)
		if err != nil {
			return bad, err
		}
		fmt.Printf("  redmoon serve   %s\n", ours)
		if wrong := a.verdict(ours, theirs); wrong != "" {
			fmt.Printf("  WRONG: %s\n", wrong)
			bad++
		}
	}
	return bad, nil
}

// build builds redmoon into a folder.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "redmoon")
	out, err := exec.Command("go", "build", "-o", path, "github.com/redmoon-lua/redmoon/cmd/redmoon").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
}

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/damage"
)

var failedLoad = attack{
	name: "failed-load",
	does: "the data set of a master or replica cannot be loaded, and clients send commands until the process has ended; twice",
	run:  failLoads,
	verdict: func(redmoon, redis figures) string {
		for _, name := range []string{"answered", "changed", "endless"} {
			if n := redmoon.of(name); n > 0 {
				return fmt.Sprintf("%d %s", n, name)
			}
		}
		return ""
	},
}

// failLoads starts a server 80 times, or as often as the options say, on damaged data sets. Every
// other folder belongs to a replica, whose master has keys.
func failLoads(s server, o options) (figures, error) {
	times := 80
	if o.times > 0 {
		times = o.times
	}
	root, err := os.MkdirTemp("", "damaged")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	whole := map[bool]string{false: filepath.Join(root, "dump"), true: filepath.Join(root, "append")}
	for appendOnly, dir := range whole {
		if err := damage.Write(dir, appendOnly); err != nil {
			return nil, err
		}
	}
	master, err := s.start(root, "--save", "")
	if err != nil {
		return nil, err
	}
	defer master.kill()
	c, err := master.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.do("SET", "of the master", "v"); err != nil {
		return nil, err
	}
	loading, answered, changed, endless := int64(0), int64(0), int64(0), int64(0)
	kinds := damage.Kinds()
	for n := range times {
		k := kinds[n/4%len(kinds)]
		dir := filepath.Join(root, fmt.Sprint(n/2))
		if n%2 == 0 { // else again on the same folder, as a supervisor does
			if err := os.CopyFS(dir, os.DirFS(whole[k.AppendOnly])); err != nil {
				return nil, err
			}
			if err := k.Apply(dir); err != nil {
				return nil, err
			}
		}
		before, err := content(dir)
		if err != nil {
			return nil, err
		}
		var role []string
		if n/2%2 == 1 {
			host, port, _ := strings.Cut(master.addr, ":")
			role = []string{"--replicaof", host, port}
		}
		r, err := failToLoad(s, dir, k, role)
		if err != nil {
			return nil, err
		}
		after, err := content(dir)
		if err != nil {
			return nil, err
		}
		loading += r.loading
		if len(r.answers) > 0 {
			answered++
			fmt.Printf("  %s answers after damage %q: %v\n", s.name, k.Name, r.answers)
		}
		if !maps.Equal(before, after) {
			changed++
			fmt.Printf("  %s has changed the files after damage %q\n", s.name, k.Name)
		}
		if r.endless {
			endless++
			fmt.Printf("  %s does not end after damage %q\n", s.name, k.Name)
		}
	}
	return figures{{"starts", int64(times), ""}, {"answered", answered, ""}, {"changed", changed, ""}, {"endless", endless, ""},
		{"replies LOADING", loading, ""}}, nil
}

// content returns the files of a folder, without the log.
func content(dir string) (map[string]string, error) {
	files, err := damage.Content(dir)
	delete(files, "log")
	return files, err
}

// failure is what clients have seen of a server that could not load its data set.
type failure struct {
	loading int64
	answers []string // other replies
	endless bool     // the process did not end
}

func failToLoad(s server, dir string, k damage.Kind, role []string) (failure, error) {
	var r failure
	args := append([]string{"--save", "1 1"}, role...)
	if k.AppendOnly {
		args = append(args, "--appendonly", "yes")
	}
	for name, value := range k.Config {
		args = append(args, "--"+name, value)
	}
	p, err := s.start(dir, args...)
	if err != nil {
		return r, err
	}
	defer p.kill()
	hangs := time.After(limit)
	for !p.hasEnded() {
		select {
		case <-hangs:
			r.endless = true
			return r, nil
		default:
		}
		c, err := p.dial()
		if err != nil {
			continue // it has ended
		}
		for err == nil {
			for _, line := range []string{"SET k v", "SAVE", "GET abc", "BGREWRITEAOF", "FLUSHALL"} {
				var reply string
				if reply, err = c.do(strings.Fields(line)...); err != nil {
					break
				}
				if strings.HasPrefix(reply, "-LOADING ") {
					r.loading++
				} else {
					r.answers = append(r.answers, line+": "+reply)
				}
			}
			if len(r.answers) > 0 {
				break
			}
		}
		c.Close()
		if len(r.answers) > 0 {
			return r, nil
		}
	}
	return r, nil
}

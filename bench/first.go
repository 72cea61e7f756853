package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// firstReplies match the reply to the first operation of each workload, as redis-cli prints it.
// Without this check, a script that refuses its arguments or finds nothing to do would be measured
// as a fast one.
var firstReplies = map[string]string{
	"redpacket":            `^1\) "grabbed"\n2\) "\d+ 100 packet:000000000"$`,
	"coupon":               `^1\) "claimed"\n2\) \(integer\) \d{16}$`,
	"stock reserve":        `^1\) "reserved"\n2\) \(integer\) \d{16}$`,
	"stock reserve unit":   `^1\) "reserved"\n2\) \(integer\) \d{16}\n3\) "serial:1"$`,
	"stock sold out":       `^1\) "sold out"\n2\) "phone"$`,
	"ratelimit fixed":      allowed,
	"ratelimit log":        allowed,
	"ratelimit counter":    allowed,
	"ratelimit bucket":     allowed,
	"ratelimit gcra":       allowed,
	"lock":                 `^1\) "acquired"\n`,
	"lock-renew":           `^"renewed"$`,
	"delayqueue enqueue":   `^1\) "ok"\n2\) "queued"$`,
	"delayqueue take 1":    `^1\) "ok"\n2\) \(integer\) \d+\n3\) \(integer\) 0\n4\) 1\) 1\) "1-1"\n(?s:.*)packet:000000001`,
	"delayqueue settle 1":  `^1\) "ok"\n2\) \(integer\) 0$`, // number not settled
	"delayqueue take 10":   `(?m)^4\)  1\) 1\) "1-1"$(?s:.*)^   10\) 1\) "10-1"$`,
	"delayqueue settle 10": `^1\) "ok"\n2\) \(integer\) 0$`,
	"get":                  `^"value of some length"$`,
	"set":                  `^OK$`,
	"get and set":          `^(OK|\(nil\)|".*")$`,
	"evalsha incr":         `^\(integer\) 1$`,
}

const allowed = `^1\) "allowed"\n2\) \(integer\) 999999\n`

// checkFirstReply returns an error if the first operation of a workload does not have the expected
// reply.
func checkFirstReply(w workload) error {
	got, err := firstReply(w)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(w.name, ", pipelined by ")
	want, ok := firstReplies[name]
	if !ok {
		return fmt.Errorf("%s: not in firstReplies; its first reply is %q", w.name, got)
	}
	if !regexp.MustCompile(want).MatchString(got) {
		return fmt.Errorf("%s: the first reply is %q, which %q does not match", w.name, got, want)
	}
	return nil
}

// firstReply runs the first operation of a workload on a new engine.
func firstReply(w workload) (string, error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return "", err
	}
	defer e.Close()
	ctx := context.Background()
	if w.setup != nil {
		for _, args := range w.setup(1) {
			if _, err := e.DoStrings(ctx, args...); err != nil {
				return "", fmt.Errorf("%s: setup: %w", w.name, err)
			}
		}
	}
	args := w.op(nil, 0)
	if w.script != nil {
		args = append([]string{"EVAL", w.script.Source(), strconv.Itoa(w.nkeys)}, args...)
	}
	v, err := e.DoStrings(ctx, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.name, err)
	}
	return v.String(), nil
}

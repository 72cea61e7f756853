package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

func dataCommands() []command {
	return []command{
		{
			name: "keys", group: groupData, args: "[PATTERN]",
			help: "list the keys of the database, with type, time to live and the beginning of the value",
			run:  func(d *dialogue, rest string) error { return d.data.keys(rest) }, complete: completeKeys,
		},
		{
			name: "diff", letter: "d", group: groupData, args: "[SNAPSHOT]",
			help: "show the changes of the last script, or the changes since a snapshot",
			more: []string{"At a stop it shows the changes of the script so far."},
			run:  func(d *dialogue, rest string) error { return d.data.diff(rest) }, where: local, complete: completeSnapshots,
		},
		{
			name: "snapshot", group: groupData, args: "[NAME]", where: idle | local,
			help: "take a snapshot of all databases, under a name or as `last`",
			run:  func(d *dialogue, rest string) error { return d.data.snapshot(rest) }, complete: completeSnapshots,
		},
		{
			name: "restore", group: groupData, args: "[NAME]", where: idle | local,
			help: "restore all databases from a snapshot",
			run:  func(d *dialogue, rest string) error { return d.data.restore(rest) }, complete: completeSnapshots,
		},
		{
			name: "time", group: groupData, args: "[+DURATION|-DURATION|TIME|freeze|run|reset]", where: local,
			help: "show or move the engine's clock",
			more: []string{"Keys expire and scripts run by this clock. `:time +1h30m` moves it, " +
				"`+2d` by days. `:time 2030-01-31T12:00:00Z`, or a " +
				"number of seconds since 1970, sets it. `freeze` stops it, `run` lets it continue from there, `reset` sets it to the " +
				"machine's time."},
			run: func(d *dialogue, rest string) error { return d.data.time(rest) }, complete: completeWords("freeze", "run", "reset"),
		},
	}
}

// data shows the data, and keeps snapshots of it.
type data struct {
	*common
	before    *engine.Snapshot // taken before the last script; nil: no script has run
	snapshots map[string]*engine.Snapshot
}

// queryTimeout is how long a command that only shows something may take. A stopped script may block
// the engine.
const queryTimeout = 2 * time.Second

// query runs a command that changes nothing, also at a stop.
func (d *data) query(limit time.Duration, args ...string) (engine.Value, error) {
	if d.scripts.current != nil && d.backend.Embedded() {
		v, err := d.scripts.current.target.Do(args...)
		if err == nil && v.IsError() {
			err = errors.New(v.Text())
		}
		return v, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return d.backend.Query(ctx, d.state.db, args...)
}

// scan returns the keys that match a pattern, sorted. all is false if there are more.
func (d *data) scan(limit time.Duration, pattern string, most int) (keys []string, all bool, err error) {
	found := map[string]bool{}
	cursor := "0"
	for {
		v, err := d.query(limit, "SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
		if err != nil {
			return nil, false, err
		}
		page := v.Slice()
		if len(page) != 2 {
			return nil, false, fmt.Errorf("SCAN answered %s", v.Text())
		}
		for _, k := range page[1].Slice() {
			found[k.Text()] = true
		}
		if cursor = page[0].Text(); cursor == "0" || len(found) > most {
			break
		}
	}
	for k := range found {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if len(keys) > most {
		return keys[:most], false, nil
	}
	return keys, cursor == "0", nil
}

// maxListedKeys is the maximum number of keys that :keys lists.
const maxListedKeys = 200

func (d *data) keys(pattern string) error {
	if pattern == "" {
		pattern = "*"
	} else if words, err := display.Split(pattern); err != nil || len(words) != 1 {
		return usage("keys")
	} else {
		pattern = words[0]
	}
	keys, all, err := d.scan(queryTimeout, pattern, maxListedKeys)
	if err != nil {
		return err
	}
	width := 0
	for _, k := range keys {
		width = max(width, len(quoting.Word(k)))
	}
	for _, k := range keys {
		name := quoting.Word(k)
		d.sayf("%s%s  %s", d.palette.name(name), strings.Repeat(" ", min(width, 40)-min(len(name), min(width, 40))), d.describeKey(k))
	}
	switch {
	case len(keys) == 0:
		d.say("(no keys)")
	case !all:
		d.say("... and more; give a pattern")
	}
	return nil
}

// describeKey returns the type, the time to live and the beginning of the value of a key.
func (d *data) describeKey(key string) string {
	kind, err := d.query(queryTimeout, "TYPE", key)
	if err != nil {
		return err.Error()
	}
	text := kind.Text()
	if ttl, err := d.query(queryTimeout, "PTTL", key); err == nil {
		if ms, err := ttl.Int(); err == nil && ms >= 0 {
			text += ", " + duration(time.Duration(ms)*time.Millisecond)
		}
	}
	text = d.palette.dim(text)
	read, count := valueCommands(kind.Text(), key)
	if read == nil {
		return text
	}
	if v, err := d.query(queryTimeout, count...); err == nil && kind.Text() != "string" {
		text += d.palette.dim(", " + v.Text())
	}
	v, err := d.query(queryTimeout, read...)
	if err != nil {
		return text + "  " + err.Error()
	}
	if kind.Text() == "zset" {
		v = display.Shape(v, 2)
	}
	if list := v.Slice(); len(read) > 1 && strings.HasSuffix(read[0], "SCAN") && len(list) == 2 {
		v = list[1]
	}
	return text + "  " + short(string(display.JSON(nil, display.Shape(v, 2))), 70)
}

// valueCommands returns the commands that read the beginning of a value and its length.
func valueCommands(kind, key string) (read, count []string) {
	switch kind {
	case "string":
		return []string{"GETRANGE", key, "0", "99"}, []string{"STRLEN", key}
	case "list":
		return []string{"LRANGE", key, "0", "9"}, []string{"LLEN", key}
	case "set":
		return []string{"SSCAN", key, "0", "COUNT", "10"}, []string{"SCARD", key}
	case "hash":
		return []string{"HSCAN", key, "0", "COUNT", "10"}, []string{"HLEN", key}
	case "zset":
		return []string{"ZRANGE", key, "0", "9", "WITHSCORES"}, []string{"ZCARD", key}
	case "stream":
		return []string{"XRANGE", key, "-", "+", "COUNT", "3"}, []string{"XLEN", key}
	}
	return nil, nil
}

// duration formats a time to live for people.
func duration(d time.Duration) string {
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	if days := d / (24 * time.Hour); days > 0 {
		rest := d - days*24*time.Hour
		return strings.TrimSuffix(fmt.Sprintf("%dd%s", days, rest), "0s")
	}
	return d.String()
}

// snapshotBefore takes a snapshot before a script runs, for :diff.
func (d *data) snapshotBefore() {
	if l, ok := d.backend.(*backend.Local); ok {
		d.before = nil
		var s *engine.Snapshot
		err := d.onEngine(func() (err error) {
			s, err = l.Engine.Snapshot()
			return err
		})
		if err == nil {
			d.before = s
		}
	}
}

func (d *data) diff(name string) error {
	if d.scripts.current != nil {
		return d.diffOfScript()
	}
	from := d.before
	if name != "" {
		from = d.snapshots[name]
	}
	if from == nil && name != "" {
		return fmt.Errorf("there is no snapshot %q", name)
	}
	if from == nil {
		return errors.New("no script has run yet; :diff NAME compares with a snapshot")
	}
	var changes []engine.KeyChange
	err := d.onEngine(func() (err error) {
		changes, err = d.backend.(*backend.Local).Engine.Changes(from)
		return err
	})
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		d.say("(no changes)")
	}
	for _, c := range changes {
		fmt.Fprint(d.out, display.Change(c, d.palette.name, d.palette.bad, d.palette.good))
	}
	return nil
}

// diffOfScript shows the keys that the current script has changed so far, with the events.
func (d *data) diffOfScript() error {
	touched, err := d.scripts.current.target.Touched()
	if err != nil {
		return withoutPackage(err)
	}
	if len(touched) == 0 {
		d.say("(no changes so far)")
		return nil
	}
	events := map[engine.TouchedKey][]string{}
	var keys []engine.TouchedKey
	for _, t := range touched {
		key := engine.TouchedKey{DB: t.DB, Key: t.Key}
		if events[key] == nil {
			keys = append(keys, key)
		}
		events[key] = append(events[key], t.Event)
	}
	for _, key := range keys {
		d.sayf("%s  %s", d.palette.name(display.KeyName(key.DB, key.Key)), d.palette.dim(strings.Join(events[key], ", ")))
		if key.DB == d.state.db {
			d.say("  " + d.describeKey(key.Key))
		}
	}
	return nil
}

// lastSnapshot is the default name of a snapshot.
const lastSnapshot = "last"

func (d *data) snapshot(name string) error {
	if name == "" {
		name = lastSnapshot
	}
	var s *engine.Snapshot
	err := d.onEngine(func() (err error) {
		s, err = d.backend.(*backend.Local).Engine.Snapshot()
		return err
	})
	if err != nil {
		return err
	}
	if d.snapshots == nil {
		d.snapshots = map[string]*engine.Snapshot{}
	}
	d.snapshots[name] = s
	d.sayf("snapshots: %s", strings.Join(d.snapshotNames(), ", "))
	return nil
}

func (d *data) restore(name string) error {
	if name == "" {
		name = lastSnapshot
	}
	s := d.snapshots[name]
	if s == nil {
		return fmt.Errorf("there is no snapshot %q; :snapshot makes one", name)
	}
	return d.onEngine(func() error { return d.backend.(*backend.Local).Engine.Restore(s) })
}

func (d *data) snapshotNames() []string {
	var names []string
	for name := range d.snapshots {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

package inspectfile

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/money"
)

// PrintJSON prints a [Report] or a [Diff]. Lists are never null.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Print prints the report for people. The error is that of w.
func (r *Report) Print(w io.Writer, style Style) error {
	s := &screen{w: w, style: style}
	s.heading(fmt.Sprintf("%s: %s, %s", SafeText(r.Path), formatNames[r.Format], humanBytes(r.Size)))
	s.files(r.Files)
	s.damage(r.Damage)
	if r.Keyspace != nil {
		s.keyspace(r.Keyspace, r.At)
	}
	if r.Commands != nil {
		s.commands(r.Commands)
	}
	return s.err
}

var formatNames = map[Format]string{RDB: "RDB file", AOF: "append-only file", Manifest: "manifest of an append-only file", "": "unknown"}

func (s *screen) files(files []File) {
	var rows [][]string
	for _, f := range files {
		role := f.Role
		if role == "" {
			role = string(f.Format)
		}
		rows = append(rows, []string{role, humanBytes(f.Size), money.Count(f.Keys), money.Count(f.Commands), SafeText(f.Path)})
	}
	if len(rows) > 1 {
		s.table([]string{"file", ">size", ">keys", ">commands", "path"}, rows)
	}
}

func (s *screen) damage(all []Damage) {
	for _, d := range all {
		text := fmt.Sprintf("DAMAGE (%s) in %s at offset %d: %s", d.Kind, SafeText(d.Path), d.Offset, SafeText(d.Message))
		if d.Safe != nil {
			text += fmt.Sprintf("; whole up to offset %d", *d.Safe)
		}
		if d.Multi {
			text += ", where a transaction without EXEC begins"
		}
		s.line("%s", s.paint("31", text))
	}
	if len(all) > 0 {
		s.line("What could be read before the damage is below.")
	}
}

func (s *screen) keyspace(k *Keyspace, at time.Time) {
	var aux []string
	for _, a := range k.Aux {
		aux = append(aux, a.Name.String()+"="+a.Value.String())
	}
	s.line("format version %d; %s", k.Version, strings.Join(aux, ", "))
	if len(k.Modules) > 0 {
		s.line("data of modules: %s", strings.Join(k.Modules, ", "))
	}
	s.line("%s keys, %s, %s elements, %s keys expire", money.Count(k.Keys), humanBytes(k.Bytes), money.Count(k.Elements),
		money.Count(k.Expires))

	var rows [][]string
	for _, kind := range k.Kinds {
		elements := money.Count(kind.Elements)
		if kind.Type == "string" {
			elements = humanBytes(kind.Length)
		}
		rows = append(rows, []string{kind.Type, kind.Encoding, money.Count(kind.Keys), humanBytes(kind.Bytes), share(kind.Bytes, k.Bytes),
			elements, humanBytes(kind.Largest)})
	}
	s.section("Types", []string{"type", "encoding in the file", ">keys", ">size", ">share", ">elements", ">largest"}, rows)

	rows = nil
	for _, d := range k.Databases {
		name := strconv.Itoa(d.DB)
		if d.DB < 0 {
			name = "others"
		}
		rows = append(rows, []string{name, money.Count(d.Keys), humanBytes(d.Bytes), money.Count(d.Expires)})
	}
	if len(rows) > 1 {
		s.section("Databases", []string{"database", ">keys", ">size", ">expire"}, rows)
	}

	rows = nil
	for _, e := range k.Expiry {
		rows = append(rows, []string{e.Period, money.Count(e.Keys), humanBytes(e.Bytes)})
	}
	s.section("Expiry, from "+at.UTC().Format(time.RFC3339), []string{"expires", ">keys", ">size"}, rows)

	s.prefixes("Prefixes", "keys", k.Prefixes)
	s.keys("Biggest keys", k.Biggest, at)
	s.keys("Keys with the most elements", k.Longest, at)
	s.keys("Next to expire", k.Soonest, at)

	rows = nil
	for _, f := range k.Functions {
		rows = append(rows, []string{humanBytes(f.Bytes), f.Name.String()})
	}
	s.section("Functions", []string{">size", "library"}, rows)
}

// section prints a table under a heading, or nothing if there are no rows.
func (s *screen) section(heading string, titles []string, rows [][]string) {
	if len(rows) > 0 {
		s.heading(heading)
		s.table(titles, rows)
	}
}

func (s *screen) prefixes(heading, unit string, p Prefixes) {
	var rows [][]string
	for _, row := range p.Top {
		rows = append(rows, []string{money.Count(row.Keys), humanBytes(row.Bytes), row.Prefix.String()})
	}
	s.section(heading, []string{">" + unit, ">size", "prefix"}, rows)
	if p.Dropped {
		s.line("  There are too many prefixes to count: light ones are missing, other figures may be too low.")
	}
}

func (s *screen) keys(heading string, keys []Key, at time.Time) {
	var rows [][]string
	for _, k := range keys {
		rows = append(rows, []string{humanBytes(k.Bytes), elements(k), k.Type, until(k.ExpireAt, at), strconv.Itoa(k.DB), k.Key.String()})
	}
	s.section(heading, []string{">size", ">elements", "type", ">expires", ">db", "key"}, rows)
}

func elements(k Key) string {
	switch {
	case k.Elements < 0:
		return "?"
	case k.Type == "string":
		return humanBytes(k.Elements)
	}
	return money.Count(k.Elements)
}

// until returns the time from at to an expiry time in ms since the epoch.
func until(expireAt int64, at time.Time) string {
	now := max(at.UnixMilli(), 0)
	switch {
	case expireAt == 0:
		return "-"
	case expireAt <= now:
		return "expired"
	}
	s := (expireAt - now) / 1000
	switch {
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 2*3600:
		return fmt.Sprintf("%d min", s/60)
	case s < 2*24*3600:
		return fmt.Sprintf("%d h", s/3600)
	}
	return money.Count(s/86400) + " d"
}

func share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

func (s *screen) commands(c *Commands) {
	s.heading(fmt.Sprintf("%s commands, %s, %s transactions", money.Count(c.Count), humanBytes(c.Bytes), money.Count(c.Multi)))
	if c.First != nil && c.Last != nil {
		s.line("from %s to %s", c.First.Format(time.RFC3339), c.Last.Format(time.RFC3339))
	}
	var rows [][]string
	add := func(name string, cmd Command) {
		rows = append(rows, []string{name, money.Count(cmd.Count), humanBytes(cmd.Bytes), share(cmd.Bytes, c.Bytes)})
	}
	for _, cmd := range c.Names {
		add(cmd.Name.String(), cmd)
	}
	if c.Others.Count > 0 {
		add("(others)", c.Others)
	}
	s.table([]string{"command", ">count", ">size", ">share"}, rows)
	rows = nil
	for _, k := range c.Keys {
		rows = append(rows, []string{money.Count(k.Count), humanBytes(k.Bytes), strconv.Itoa(k.DB), k.Key.String()})
	}
	s.section("Keys written most", []string{">commands", ">size", ">db", "key"}, rows)
	if c.Dropped {
		s.line("  There are too many keys to count: rare ones are missing, other figures may be too low.")
	}
	s.prefixes("Prefixes written", "commands", c.Prefixes)
}

// Print prints the differences for people. The error is that of w.
func (d *Diff) Print(w io.Writer, style Style, at time.Time) error {
	s := &screen{w: w, style: style}
	s.heading(fmt.Sprintf("From %s to %s", SafeText(d.Path), SafeText(d.Other)))
	s.damage(d.Damage)
	if len(d.Damage) > 0 {
		s.line("Keys behind the damage count as missing.")
	}
	s.line("%s keys added (%s), %s removed (%s), %s changed, %s the same", money.Count(d.Added.Keys), humanBytes(d.Added.Bytes),
		money.Count(d.Removed.Keys), humanBytes(d.Removed.Bytes), money.Count(d.Changed), money.Count(d.Same))
	for _, what := range []string{"type", "value", "expiry", "encoding", "size"} {
		if n := d.ChangedBy[what]; n > 0 {
			s.line("  %s differs: %s keys", what, money.Count(n))
		}
	}
	s.keys("Added", d.AddedKeys, at)
	s.keys("Removed", d.RemovedKeys, at)
	var rows [][]string
	for _, c := range d.ChangedKeys {
		rows = append(rows, []string{strings.Join(c.What, ", "), arrow(humanBytes(c.Before.Bytes), humanBytes(c.After.Bytes)),
			arrow(elements(c.Before), elements(c.After)), arrow(c.Before.Type, c.After.Type),
			arrow(until(c.Before.ExpireAt, at), until(c.After.ExpireAt, at)), strconv.Itoa(c.After.DB), c.After.Key.String()})
	}
	s.section("Changed", []string{"what", "size", "elements", "type", "expires", ">db", "key"}, rows)
	return s.err
}

func arrow(before, after string) string {
	if before == after {
		return after
	}
	return before + " → " + after
}

package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/core/keydiff"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// keyspace is the content of an engine: for each key, its value and time to live as text.
type keyspace map[string]string

// keyspaceOf returns what an engine holds. exact adds the groups of streams.
func keyspaceOf(e *engine.Engine, exact bool) (keyspace, error) {
	all, streams := keyspace{}, [][2]string{}
	err := e.View(context.Background(), func(ks engine.Keyspace) error {
		for db := range ks.Databases() {
			for name, k := range harness.Copy(ks, db) {
				all[keyName(db, name)] = keyText(k)
				if k.Type == "stream" {
					streams = append(streams, [2]string{strconv.Itoa(db), name})
				}
			}
		}
		return nil
	})
	if err != nil || !exact || len(streams) == 0 {
		return all, err
	}
	s, err := e.NewSession()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, k := range streams {
		if _, err := s.Do(context.Background(), "SELECT", k[0]); err != nil {
			return nil, err
		}
		v, err := s.Do(context.Background(), "XINFO", "STREAM", k[1], "FULL", "COUNT", 0)
		if err != nil {
			return nil, err
		}
		db, _ := strconv.Atoi(k[0])
		all[keyName(db, k[1])] += " " + inline(v)
	}
	return all, nil
}

func keyName(db int, key string) string {
	if db == 0 {
		return quoted(key)
	}
	return fmt.Sprintf("db %d %s", db, quoted(key))
}

// keyText returns a value and its time to live on one line.
func keyText(k harness.Key) string {
	text := valueText(k)
	if k.Expires {
		text += ", expires in " + k.TTL.String()
	}
	return text
}

func valueText(k harness.Key) string {
	var parts []string
	list := k.Value.Slice()
	switch k.Type {
	case "string":
		return quoted(k.Value.Text())
	case "hash", "zset":
		for i := 0; i < len(list); i += 2 {
			parts = append(parts, inline(list[i])+": "+inline(list[i+1]))
		}
	case "stream":
		for _, entry := range list {
			parts = append(parts, entry.Slice()[0].Text()+" "+inline(entry.Slice()[1]))
		}
	default:
		for _, el := range list {
			parts = append(parts, inline(el))
		}
	}
	return k.Type + " [" + strings.Join(parts, ", ") + "]"
}

// quoted returns a text in quotes, as redis-cli shows it.
func quoted(text string) string { return string(quoting.Append(nil, text)) }

// inline returns a reply on one line.
func inline(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBulk:
		return quoted(v.Text())
	case engine.KindStatus:
		return v.Text()
	case engine.KindError:
		return "(error) " + v.Text()
	case engine.KindInt, engine.KindDouble, engine.KindBool, engine.KindBigNumber, engine.KindVerbatim:
		return v.Text()
	case engine.KindArray, engine.KindMap, engine.KindSet, engine.KindPush:
		parts := make([]string, 0, v.Len())
		for _, el := range v.Slice() {
			parts = append(parts, inline(el))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.String()
}

// shape returns a reply on one line, without its texts.
func shape(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBulk, engine.KindVerbatim:
		return "text"
	case engine.KindArray, engine.KindMap, engine.KindSet, engine.KindPush:
		parts := make([]string, 0, v.Len())
		for _, el := range v.Slice() {
			parts = append(parts, shape(el))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return inline(v)
}

// lines describes each key on one line.
func (ks keyspace) lines() map[string]string {
	lines := make(map[string]string, len(ks))
	for key, text := range ks {
		lines[key] = key + " = " + text
	}
	return lines
}

// String returns one line for each key, sorted.
func (ks keyspace) String() string {
	var b strings.Builder
	lines := ks.lines()
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		b.WriteString("  " + lines[k] + "\n")
	}
	if len(ks) == 0 {
		return "  (no keys)\n"
	}
	return b.String()
}

// diff returns a line for each key that is not the same in other: - as it was, + as it is.
func (ks keyspace) diff(other keyspace) string { return keydiff.Lines(ks.lines(), other.lines()) }

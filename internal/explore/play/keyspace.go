package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// keyspace is the content of an engine: for each key, its value and time to live as text.
type keyspace map[string]string

// keyspaceOf returns what an engine holds. exact adds the groups of streams.
func keyspaceOf(e *engine.Engine, exact bool) (keyspace, error) {
	all, streams := keyspace{}, [][2]string{}
	err := e.View(context.Background(), func(ks engine.Keyspace) error {
		now := ks.Now().UnixMilli()
		for db := range ks.Databases() {
			for k := range ks.Keys(db) {
				text := valueText(k)
				if at := k.ExpireAt(); !at.IsZero() {
					text += ", expires in " + (time.Duration(at.UnixMilli()-now) * time.Millisecond).String()
				}
				all[keyName(db, k.Name())] = text
				if k.Type() == "stream" {
					streams = append(streams, [2]string{strconv.Itoa(db), k.Name()})
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
		return strconv.Quote(key)
	}
	return fmt.Sprintf("db %d %q", db, key)
}

// valueText returns a value on one line. What has no order is sorted.
func valueText(k engine.Key) string {
	v := k.Value()
	var parts []string
	list := v.Slice()
	switch k.Type() {
	case "string":
		return strconv.Quote(v.Text())
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
	if typ := k.Type(); typ == "hash" || typ == "set" {
		slices.Sort(parts)
	}
	return k.Type() + " [" + strings.Join(parts, ", ") + "]"
}

// inline returns a reply on one line.
func inline(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBulk:
		return strconv.Quote(v.Text())
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

// String returns one line for each key, sorted.
func (ks keyspace) String() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(ks)) {
		b.WriteString("  " + k + " = " + ks[k] + "\n")
	}
	if len(ks) == 0 {
		return "  (no keys)\n"
	}
	return b.String()
}

// diff returns a line for each key that is not the same in other: - as it was, + as it is.
func (ks keyspace) diff(other keyspace) string {
	all := maps.Clone(ks)
	maps.Copy(all, other)
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(all)) {
		was, had := ks[k]
		is, has := other[k]
		if was == is && had == has {
			continue
		}
		if had {
			b.WriteString("- " + k + " = " + was + "\n")
		}
		if has {
			b.WriteString("+ " + k + " = " + is + "\n")
		}
	}
	return b.String()
}

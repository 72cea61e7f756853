package inspectfile

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

// Diff says in which keys two RDB files differ. Expiry times that differ are a difference; orders
// of the elements of hashes, sets and sorted sets are not.
type Diff struct {
	Schema    int              `json:"schema"`
	Path      string           `json:"path"`
	Other     string           `json:"other"`
	Damage    []Damage         `json:"damage"`
	Same      int64            `json:"same"`
	Added     Totals           `json:"added"`   // only in Other
	Removed   Totals           `json:"removed"` // only in Path
	Changed   int64            `json:"changed"`
	ChangedBy map[string]int64 `json:"changed_by"` // keys by what has changed: the words of Change.What
	// The biggest of each list.
	AddedKeys   []Key    `json:"added_keys"`
	RemovedKeys []Key    `json:"removed_keys"`
	ChangedKeys []Change `json:"changed_keys"`
}

// Equal reports whether no difference was found.
func (d *Diff) Equal() bool { return d.Added.Keys == 0 && d.Removed.Keys == 0 && d.Changed == 0 }

// Change is a key that both files have.
type Change struct {
	What   []string `json:"what"` // some of type, value, expiry, encoding, size
	Before Key      `json:"before"`
	After  Key      `json:"after"`
}

// partKeys is the number of keys that are compared in one pass over both files. With the work of
// the garbage collector, one takes about 250 bytes of memory.
const partKeys = 1 << 20

// Compare compares the RDB files at path and other. Its memory does not depend on the files: it
// keeps one record for each key, and reads large files several times, a part of the keys each time.
// If a file is damaged, the keys behind the damage are as if they did not exist.
func Compare(ctx context.Context, path, other string, o Options) (*Diff, error) {
	return compare(ctx, path, other, o, partKeys)
}

func compare(ctx context.Context, path, other string, o Options, part int64) (*Diff, error) {
	c := comparer{
		ctx: ctx, o: o, seed: maphash.MakeSeed(), seed2: maphash.MakeSeed(),
		d: &Diff{Schema: Schema, Path: path, Other: other, Damage: []Damage{}, ChangedBy: map[string]int64{}},
	}
	byBytes := func(a, b Key) bool {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.DB, b.DB), cmp.Compare(a.Key.text, b.Key.text)) < 0
	}
	c.added = top[Key]{limit: o.Top, before: byBytes}
	c.removed = c.added
	c.changed = top[Change]{limit: o.Top, before: func(a, b Change) bool { return byBytes(a.After, b.After) }}
	var files [2]*os.File
	for i, p := range []string{path, other} {
		f, _, err := openRegular(p)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := mustBeRDB(f, p); err != nil {
			return nil, err
		}
		files[i] = f
	}
	keys := int64(0)
	count := func(*datastore.FileItem, *datastore.FileReader) error { keys++; return nil }
	c.damaged(path, c.each(files[0], count))
	c.parts = uint64(max(1, (keys+part-1)/part))
	for c.part = range c.parts {
		if err := c.pass(files[0], files[1]); err != nil {
			return nil, err
		}
	}
	c.d.AddedKeys, c.d.RemovedKeys, c.d.ChangedKeys = c.added.sorted(), c.removed.sorted(), c.changed.sorted()
	return c.d, ctx.Err()
}

func mustBeRDB(f *os.File, path string) error {
	rdb, err := aoffile.IsRDB(bufio.NewReader(f))
	if err == nil && !rdb {
		err = fmt.Errorf("%s: not an RDB file; only RDB files can be compared", path)
	}
	return err
}

type comparer struct {
	ctx         context.Context
	o           Options
	seed, seed2 maphash.Seed // random: nobody can make a file whose keys collide
	parts, part uint64
	records     map[[2]uint64]record
	d           *Diff
	added       top[Key]
	removed     top[Key]
	changed     top[Change]
}

// record is what is known of a key of the first file.
type record struct {
	kind     datastore.ValueKind
	seen     bool // in the second file
	bytes    int64
	elements int64
	expireAt int64
	digest   uint64 // of the elements
}

// each calls f for each key of a file that Options.Match chooses, and returns the error that ended
// the loop, or nil at the end of a whole file.
func (c *comparer) each(file *os.File, f func(*datastore.FileItem, *datastore.FileReader) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := datastore.NewFileReader(reader{c.ctx, file}, datastore.FileReaderOptions{Version: datastore.AnyVersion})
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if it.Kind != datastore.FileKey || !c.o.chooses(it.Key) {
			continue
		}
		key := *it
		if err := f(&key, r); err != nil {
			return err
		}
	}
}

// damaged notes the error that ended a loop over the file at path, unless one is noted.
func (c *comparer) damaged(path string, err error) {
	if err != nil && !slices.ContainsFunc(c.d.Damage, func(d Damage) bool { return d.Path == path }) {
		c.d.Damage = append(c.d.Damage, rdbDamage(path, err))
	}
}

// inPart calls f for each key of a file that belongs to the part. It stops where the file is
// damaged.
func (c *comparer) inPart(file *os.File, f func(id [2]uint64, it *datastore.FileItem, now record)) error {
	err := c.each(file, func(it *datastore.FileItem, r *datastore.FileReader) error {
		id := c.id(it)
		if id[0]%c.parts != c.part {
			return nil
		}
		now, err := c.read(it, r)
		if err == nil {
			f(id, it, now)
		}
		return err
	})
	c.damaged(file.Name(), err)
	return c.ctx.Err()
}

func (c *comparer) id(it *datastore.FileItem) [2]uint64 {
	var id [2]uint64
	for i, seed := range []maphash.Seed{c.seed, c.seed2} {
		var h maphash.Hash
		h.SetSeed(seed)
		maphash.WriteComparable(&h, it.DB)
		_, _ = h.WriteString(it.Key) // never fails
		id[i] = h.Sum64()
	}
	return id
}

// read reads a value.
func (c *comparer) read(it *datastore.FileItem, r *datastore.FileReader) (record, error) {
	now := record{kind: it.ValueKind, expireAt: it.ExpireAt}
	typ := datastore.TypeString
	if !it.ValueKind.Module() {
		typ = it.ValueKind.Type()
	}
	ordered := typ == datastore.TypeList || typ == datastore.TypeStream
	info, err := r.Elements(func(el datastore.Element) bool {
		h := c.element(&el)
		if ordered {
			now.digest = now.digest*0x9E3779B97F4A7C15 + h
		} else {
			now.digest += h
		}
		return true
	})
	now.elements, now.bytes = info.Elements, r.Offset()-it.Offset
	return now, err
}

func (c *comparer) element(el *datastore.Element) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	write := func(text string) {
		maphash.WriteComparable(&h, len(text))
		_, _ = h.WriteString(text) // never fails
	}
	write(el.Text)
	write(el.Value)
	maphash.WriteComparable(&h, math.Float64bits(el.Score+0)) // -0 is 0
	maphash.WriteComparable(&h, el.ExpireAt)
	maphash.WriteComparable(&h, el.ID)
	for _, p := range el.Pairs {
		write(p)
	}
	return h.Sum64()
}

// pass compares the keys of one part.
func (c *comparer) pass(before, after *os.File) error {
	c.records = map[[2]uint64]record{}
	err := c.inPart(before, func(id [2]uint64, _ *datastore.FileItem, now record) { c.records[id] = now })
	if err != nil {
		return err
	}
	found := 0
	err = c.inPart(after, func(id [2]uint64, it *datastore.FileItem, now record) {
		old, ok := c.records[id]
		if !ok {
			c.d.Added.add(now.totals())
			c.added.add(now.key(it))
			return
		}
		if !old.seen {
			found++
			old.seen = true
			c.records[id] = old
		}
		c.both(it, old, now)
	})
	if err != nil || found == len(c.records) {
		return err
	}
	// The names of the removed keys are only in the file.
	return c.inPart(before, func(id [2]uint64, it *datastore.FileItem, now record) {
		if !c.records[id].seen {
			c.d.Removed.add(now.totals())
			c.removed.add(now.key(it))
		}
	})
}

// both counts a key that is in both files.
func (c *comparer) both(it *datastore.FileItem, old, now record) {
	var what []string
	note := func(differs bool, word string) {
		if differs {
			what = append(what, word)
			c.d.ChangedBy[word]++
		}
	}
	sameType := typeName(old.kind) == typeName(now.kind)
	note(!sameType, "type")
	note(sameType && (old.digest != now.digest || old.elements != now.elements), "value")
	note(old.expireAt != now.expireAt, "expiry")
	note(sameType && old.kind != now.kind, "encoding")
	note(old.bytes != now.bytes, "size")
	if what == nil {
		c.d.Same++
		return
	}
	c.d.Changed++
	c.changed.add(Change{What: what, Before: old.key(it), After: now.key(it)})
}

func (r record) totals() Totals {
	t := Totals{Keys: 1, Bytes: r.bytes}
	if r.kind.Module() || r.kind.Type() != datastore.TypeString {
		t.Elements = max(r.elements, 0)
	}
	if r.expireAt != 0 {
		t.Expires = 1
	}
	return t
}

func (r record) key(it *datastore.FileItem) Key {
	return Key{DB: it.DB, Key: newName(it.Key), Type: typeName(r.kind), Encoding: r.kind.String(), Bytes: r.bytes,
		Elements: r.elements, ExpireAt: r.expireAt}
}

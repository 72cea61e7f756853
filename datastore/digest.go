package datastore

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
)

// Digest is the signature of a value or of a whole keyspace that DEBUG DIGEST computes, of the size
// of a SHA1. It depends neither on encodings nor on the order of hash tables. The zero Digest is
// that of an empty keyspace.
type Digest [sha1.Size]byte

// add adds a part; the order of the parts added does not matter.
func (d *Digest) add(part []byte) {
	h := sha1.Sum(part)
	for i := range d {
		d[i] ^= h[i]
	}
}

// mix adds a part; the order of the parts mixed in matters.
func (d *Digest) mix(part []byte) {
	d.add(part)
	*d = sha1.Sum(d[:])
}

// number mixes in a number.
func (d *Digest) number(n int) {
	d.mix(binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// Digest returns the signature of all databases.
func (s *Store) Digest() Digest {
	var all Digest
	for _, db := range s.dbs {
		if db.Len() == 0 {
			continue
		}
		all.number(db.id)
		db.keys.All(func(p **Entry) bool {
			var d Digest
			d.mix([]byte((*p).key))
			d.entry(*p)
			all.add(d[:])
			return true
		})
	}
	return all
}

// DigestValue returns the signature of the value of key, and of whether it has an expiry time; the
// zero Digest if there is no such key. An expired key that has not been removed counts.
func (db *DB) DigestValue(key string) (d Digest) {
	if e, ok := db.keys.Get(key); ok {
		d.entry(e)
	}
	return d
}

func (d *Digest) entry(e *Entry) {
	switch o := e.obj.(type) {
	case *String:
		d.number(0)
		d.mix([]byte(o.Text()))
	case *List:
		d.number(1)
		o.Ascend(0, func(_ int, el string) bool { d.mix([]byte(el)); return true })
	case *Set:
		d.number(2)
		o.All(func(m string) bool { d.add([]byte(m)); return true })
	case *ZSet:
		d.number(3)
		o.Ascend(0, o.Len(), func(it ZItem) bool {
			var pair Digest
			pair.mix([]byte(it.Member))
			pair.mix(appendScoreText(nil, it.Score))
			d.add(pair[:])
			return true
		})
	case *Hash:
		d.number(4)
		o.each(func(field, value string, at int64) bool {
			var pair Digest
			pair.mix([]byte(field))
			pair.mix([]byte(value))
			if at != 0 {
				pair.add([]byte("!!hexpire!!"))
			}
			d.add(pair[:])
			return true
		})
	case *Stream:
		d.number(6)
		d.stream(o)
	}
	if e.expireAt != 0 {
		d.add([]byte("!!expire!!"))
	}
}

// stream mixes in ids, fields and values. Groups do not count.
func (d *Digest) stream(s *Stream) {
	var pairs []string
	s.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool {
		d.mix(fmt.Appendf(nil, "%d.%d", e.ID.Ms, e.ID.Seq))
		pairs = e.AppendPairs(pairs[:0])
		for _, text := range pairs {
			d.mix([]byte(text))
		}
		return true
	})
}

// appendScoreText appends a score with 17 significant digits, even if it is an integer.
func appendScoreText(b []byte, f float64) []byte {
	if n, ok := wholeScore(f); ok && f < 1e17 && f > -1e17 {
		if n == 0 && 1/f < 0 {
			b = append(b, '-')
		}
		return append(b, FormatInt(n)...)
	}
	return appendScore(b, f)
}

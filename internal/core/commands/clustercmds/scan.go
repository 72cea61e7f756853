package clustercmds

import (
	"crypto/sha1"
	"math/big"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/hashslot"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scan"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// scanCursor is a cursor of CLUSTERSCAN: MARK-{TAG}-PLACE. The tag sends the command to the owner
// of a slot. The place counts only in the server whose mark the cursor has: its lower bits are a
// slot, the others a cursor in this slot. Any other server begins with the slot of the tag.
type scanCursor struct {
	slot  int
	mark  string
	place uint64
}

// noMark is the mark of a cursor at the beginning of a slot.
const noMark = "0"

// slotBits is the number of bits of a slot.
const slotBits = 14

// largeSlot is the number of keys up to which a slot is one step of a scan.
const largeSlot = 1000

// parseScanCursor reads a cursor other than 0.
func parseScanCursor(arg string) (sc scanCursor, ok bool) {
	text := parse.CString(arg)
	parts := strings.SplitN(text, "-", 3)
	if len(parts) < 3 {
		return sc, false
	}
	digits := strings.TrimPrefix(strings.TrimLeftFunc(parts[2], func(r rune) bool { return r < 0x80 && parse.IsSpace(byte(r)) }), "+")
	if strings.HasPrefix(digits, "+") {
		return sc, false
	}
	place, err := strconv.ParseUint(digits, 10, 64)
	return scanCursor{datastore.Slot(parts[1]), parts[0], place}, err == nil
}

// slotStart is the cursor that begins with a slot.
func slotStart(slot int) string { return noMark + "-{" + hashslot.Tag(slot) + "}-0" }

// scanMark names this run of the server, whose places no other run has.
func scanMark(s *server.Server) string {
	sum := sha1.Sum([]byte("cursors of " + s.RunID()))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return text[len(text)-6:]
}

func scanReply(cursor string, keys []reply.Value) reply.Value {
	return reply.Array(reply.Bulk(cursor), reply.Array(keys...))
}

// scanEnd is the reply of a scan that has ended.
func scanEnd(keys []reply.Value) reply.Value { return scanReply("0", keys) }

// clusterScan walks through the keys of the slots of this node that follow each other. The client
// goes on at the owner of the slot behind them.
func clusterScan(c *server.Ctx) reply.Value {
	a, bad, ok := scan.ParseOptions(c, c.Args[2:])
	if !ok {
		return bad
	}
	only, single := a.Slot, a.HasSlot // the only slot of the scan
	if slot, one := patternSlot(&a); one {
		if a.HasSlot && a.Slot != slot {
			slot = -1 // no key matches
		}
		only, single = slot, true
	}
	if parse.CString(c.Args[1]) == "0" {
		switch {
		case only < 0:
			return scanEnd(nil)
		case single:
			return scanReply(slotStart(only), nil)
		}
		return scanReply(slotStart(0), nil)
	}
	cursor, ok := parseScanCursor(c.Args[1])
	switch {
	case !ok:
		return reply.Err("ERR Invalid cursor")
	case a.HasSlot && cursor.slot != a.Slot:
		return reply.Err("ERR Cursor slot mismatch with SLOT argument")
	case single && cursor.slot < only:
		return scanReply(slotStart(only), nil)
	case single && cursor.slot > only:
		return scanEnd(nil)
	}
	return scanSlots(c, &a, cursor, single)
}

// patternSlot returns the slot of all keys that match MATCH, if they have only one.
func patternSlot(a *scan.Args) (slot int, one bool) {
	if !a.HasPattern {
		return 0, false
	}
	fixed := a.Pattern
	if tagged := hashslot.UpToTag(fixed); tagged != "" {
		fixed = tagged
	}
	return datastore.Slot(fixed), !strings.ContainsAny(fixed, `*?[\`)
}

// scanSlots scans from a cursor on: one slot, or all that follow it in this node.
func scanSlots(c *server.Ctx, a *scan.Args, from scanCursor, single bool) reply.Value {
	last := from.slot
	for !single && last+1 < datastore.Slots && c.Server.Cluster.Owns(last+1) {
		last++
	}
	mark := scanMark(c.Server)
	place := uint64(from.slot)
	if from.mark == mark && int(from.place%datastore.Slots) >= from.slot {
		place = from.place
	}
	if place>>slotBits == 0 {
		place = nextPlace(c.DB, int(place), last)
	}
	var found []string
	if a.Cursor = place; placeIn(place, last) {
		a.Cursor = scan.Loop(a, 1, func(place uint64) (uint64, int64) {
			before := len(found)
			place = scanStep(c.DB, place, last, func(key string) { found = append(found, key) })
			return place, int64(len(found) - before)
		})
	} else {
		a.Cursor = 0
	}
	keys := scan.Keys(c, a, found)
	switch {
	case a.Cursor != 0:
		slot := int(a.Cursor % datastore.Slots)
		return scanReply(mark+"-{"+hashslot.Tag(slot)+"}-"+strconv.FormatUint(a.Cursor, 10), keys)
	case single || last == datastore.Slots-1:
		return scanEnd(keys)
	}
	return scanReply(slotStart(last+1), keys)
}

// placeIn reports whether a place is in the slots up to last.
func placeIn(place uint64, last int) bool {
	return place%datastore.Slots <= uint64(last) && place != noPlace
}

// noPlace is the place behind all slots.
const noPlace = ^uint64(0)

// nextPlace returns the beginning of the first slot with keys from slot to last, or noPlace.
func nextPlace(db *datastore.DB, slot, last int) uint64 {
	for ; slot <= last; slot++ {
		if db.CountKeysInSlot(slot) > 0 {
			return uint64(slot)
		}
	}
	return noPlace
}

// scanStep passes the keys at a place to found and returns the next place, 0 at the end. A large
// slot is scanned by the buckets of the whole table, which keep their places if keys come and go.
func scanStep(db *datastore.DB, place uint64, last int, found func(key string)) uint64 {
	slot, inside := int(place%datastore.Slots), place>>slotBits
	if n := db.CountKeysInSlot(slot); inside > 0 || n > largeSlot {
		inside = db.Scan(inside, func(e *datastore.Entry) {
			if datastore.Slot(e.Key()) == slot {
				found(e.Key())
			}
		})
		if inside > 0 {
			return inside<<slotBits | uint64(slot)
		}
	} else {
		for _, key := range db.KeysInSlot(slot, n) {
			found(key)
		}
	}
	if next := nextPlace(db, slot+1, last); next != noPlace {
		return next
	}
	return 0
}

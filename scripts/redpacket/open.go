package redpacket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// chunk is the number of packets that one script loads.
const chunk = 1000

// Open loads the packets, a thousand per script, and opens the activity when all are loaded. Before
// that no packet can be grabbed. The packets are handed out in the order given.
//
// If Open fails half-way, or if it is unknown whether it was carried out, call it again with the
// same packets and options, from any process. It then loads what is missing. It also succeeds if
// the same activity was opened before. Open returns [ErrExists] if another activity of this name
// was opened, and [ErrExpired] if the activity has expired since. It returns [ErrPackets] or
// [ErrAmount], and changes nothing, for packets that break their rules.
func (a *Activity) Open(ctx context.Context, packets []Packet) error {
	total, err := a.check(packets)
	if err != nil {
		return err
	}
	ttl, retention := script.Millis(a.o.TTL), script.Millis(a.o.Retention)
	texts := make([]string, len(packets))
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %s %s\n", a.o.Sender, ttl, retention)
	rest := total
	for i, p := range packets {
		texts[i] = p.text(rest)
		rest -= p.Amount
		fmt.Fprintf(hash, "%q\n", texts[i])
	}
	digest := hex.EncodeToString(hash.Sum(nil)[:16])
	head := []string{digest, strconv.Itoa(len(packets)), script.Int(total), ttl, a.o.Sender, retention}
	for loaded := 0; ; {
		args := append(make([]string, 0, len(head)+1+chunk), head...)
		args = append(args, strconv.Itoa(loaded))
		args = append(args, texts[loaded:min(loaded+chunk, len(texts))]...)
		r, err := openScript.Run(ctx, a.c, a.keys, args)
		if err != nil {
			return fmt.Errorf("%w (packets from %d)", err, loaded)
		}
		switch r.Outcome {
		case "loaded":
			n := r.Int(0)
			if err := r.Err(); err != nil {
				return err
			}
			if n >= int64(len(packets)) {
				return r.Malformed("says that %d of %d packets are loaded", n, len(packets))
			}
			loaded = int(n)
		case "open":
			return nil
		case "exists":
			return ErrExists
		case "expired":
			return ErrExpired
		default:
			return r.Unexpected()
		}
	}
}

// check checks the packets and returns their total.
func (a *Activity) check(packets []Packet) (total int64, err error) {
	if len(packets) == 0 {
		return 0, fmt.Errorf("%w: there are none", ErrPackets)
	}
	ids := make(map[string]struct{}, len(packets))
	for _, p := range packets {
		if rule := a.brokenRule(p.ID); rule != "" {
			return 0, fmt.Errorf("%w: id %.60q %s", ErrPackets, p.ID, rule)
		}
		if _, twice := ids[p.ID]; twice {
			return 0, fmt.Errorf("%w: id %.60q is there twice", ErrPackets, p.ID)
		}
		if p.Amount < 1 || p.Amount > MaxAmount || total > MaxTotal-p.Amount {
			return 0, fmt.Errorf("%w: packet %q of %d cents", ErrAmount, p.ID, p.Amount)
		}
		total += p.Amount
		ids[p.ID] = struct{}{}
	}
	return total, nil
}

// brokenRule says which rule of packet ids an id breaks: "" if none. An id is a part of the JSON
// that scripts write, so it must need no escape there.
func (a *Activity) brokenRule(id string) string {
	at := strings.IndexFunc(id, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f })
	switch {
	case id == "":
		return "is empty"
	case id == a.refund:
		return "is kept for the refund"
	case !utf8.ValidString(id):
		return "is not UTF-8"
	case at < 0:
		return ""
	case id[at] == '"':
		return "has a quote"
	case id[at] == '\\':
		return "has a backslash"
	}
	return "has a control character"
}

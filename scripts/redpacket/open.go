package redpacket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Options of an activity. The zero value is an activity without a deadline.
type Options struct {
	// Sender is the user to whom goes what is left when the activity expires.
	Sender string
	// TTL is how long after Open packets can be grabbed, in whole milliseconds, rounded up. 0: until Expire is called.
	TTL time.Duration
	// Keep is how long an expired activity is kept, in whole milliseconds, rounded up; afterwards it is as if it had never been, but for
	// the settlement stream. 0: for ever.
	Keep time.Duration
}

// part is how many packets one script loads.
const part = 1000

// Open loads the packets, a thousand at a time, and opens the activity when all are there; before that none can be grabbed. They are handed
// out in the order given.
//
// When Open fails half-way, or its outcome is not known, call it again with the same packets and options, from any process: it loads what is
// missing. It succeeds as well when the same activity has been opened before. It returns [ErrExists] when another one has, and [ErrExpired] when
// it has expired since. For what cannot be opened it returns [ErrPackets], [ErrAmount], [ErrUser] or [ErrTTL], and nothing is changed.
func (a *Activity) Open(ctx context.Context, packets []Packet, o Options) error {
	total, err := a.check(packets, o)
	if err != nil {
		return err
	}
	texts := make([]string, len(packets))
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %d %d\n", o.Sender, milliseconds(o.TTL), milliseconds(o.Keep))
	rest := total
	for i, p := range packets {
		texts[i] = p.text(rest)
		rest -= p.Amount
		fmt.Fprintf(hash, "%q\n", texts[i])
	}
	head := []string{hex.EncodeToString(hash.Sum(nil)[:16]), strconv.Itoa(len(packets)), strconv.FormatInt(total, 10),
		strconv.FormatInt(milliseconds(o.TTL), 10), o.Sender, strconv.FormatInt(milliseconds(o.Keep), 10)}
	for loaded := 0; ; {
		args := append(append(make([]string, 0, len(head)+1+part), head...), strconv.Itoa(loaded))
		args = append(args, texts[loaded:min(loaded+part, len(texts))]...)
		code, list, err := a.run(ctx, openScript, args, 1)
		if err != nil {
			return fmt.Errorf("redpacket: open, packets from %d: %w", loaded, err)
		}
		switch {
		case code == 1 && len(list) == 1 && list[0].Int() < int64(len(packets)):
			loaded = int(list[0].Int())
		case code == 2:
			return nil
		case code == 3:
			return ErrExists
		case code == 4:
			return ErrExpired
		default:
			return fmt.Errorf("redpacket: open: unexpected reply %d", code)
		}
	}
}

// check returns the total of the packets.
func (a *Activity) check(packets []Packet, o Options) (total int64, err error) {
	if o.TTL < 0 || o.Keep < 0 {
		return 0, ErrTTL
	}
	if !utf8.ValidString(o.Sender) {
		return 0, fmt.Errorf("%w: sender %q", ErrUser, o.Sender)
	}
	if len(packets) == 0 {
		return 0, fmt.Errorf("%w: there are none", ErrPackets)
	}
	ids := make(map[string]struct{}, len(packets))
	for _, p := range packets {
		if p.ID == "" || p.ID == a.refund || !utf8.ValidString(p.ID) || strings.ContainsFunc(p.ID, escaped) {
			return 0, fmt.Errorf("%w: %q", ErrPackets, p.ID)
		}
		if p.Amount < 1 || p.Amount > MaxAmount || total > MaxTotal-p.Amount {
			return 0, fmt.Errorf("%w: packet %q of %d cents", ErrAmount, p.ID, p.Amount)
		}
		total += p.Amount
		ids[p.ID] = struct{}{}
	}
	if len(ids) < len(packets) {
		return 0, fmt.Errorf("%w: %d packets have %d ids", ErrPackets, len(packets), len(ids))
	}
	return total, nil
}

// escaped reports whether JSON writes a character in another way.
func escaped(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }

func milliseconds(d time.Duration) int64 { return int64((d + time.Millisecond - 1) / time.Millisecond) }

package coupon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is a stored claim: the time in seconds and microseconds, the fields, and for each window
// its label and the fields of its counters. A claim that was undone keeps the mark "undone", the
// time and the fields.
type record struct {
	undone  bool
	at      time.Time
	fields  string
	windows []string // "label field field"
}

const undoneMark = "undone "

func parseRecord(text string) (record, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 2 {
		return record{}, fmt.Errorf("coupon: stored claim %q has no fields", text)
	}
	stamp, undone := strings.CutPrefix(lines[0], undoneMark)
	seconds, micros, _ := strings.Cut(stamp, " ")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return record{}, fmt.Errorf("coupon: stored claim %q has no time: %w", text, err)
	}
	us, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return record{}, fmt.Errorf("coupon: stored claim %q has no time: %w", text, err)
	}
	return record{undone: undone, at: time.UnixMicro(s*1e6 + us), fields: lines[1], windows: lines[2:]}, nil
}

// receipt is the record for callers; its outcome is undone if the claim was undone, else valid.
func (r record) receipt(token string, valid, undone Outcome) (Receipt, error) {
	fields, err := parseFields(r.fields)
	if err != nil {
		return Receipt{}, fmt.Errorf("coupon: fields of token %q: %w", token, err)
	}
	if r.undone {
		valid = undone
	}
	return Receipt{Outcome: valid, Token: token, Fields: fields, At: r.at}, nil
}

// stored is a record with its text and the key it is in.
type stored struct {
	record
	text, key string
}

// stored returns the claim of a token, or ErrUnknownClaim.
func (c *Coupon) stored(ctx context.Context, token string) (stored, error) {
	f, r, err := c.find(ctx, token)
	if err != nil {
		return stored{}, err
	}
	if r.Outcome != "found" {
		return stored{}, fmt.Errorf("%w: %q", ErrUnknownClaim, token)
	}
	i, text := r.Int(0), r.Text(1)
	if err := r.Err(); err != nil {
		return stored{}, err
	}
	if i < 1 || i > int64(len(f.claims)) {
		return stored{}, r.Malformed("names key %d of %d", i, len(f.claims))
	}
	rec, err := parseRecord(text)
	return stored{rec, text, f.claims[i-1]}, err
}

// outcomeOf is the outcome that goes with an error of stored.
func outcomeOf(err error) Outcome {
	if errors.Is(err, ErrUnknownClaim) {
		return NoClaim
	}
	return Unknown
}

// Find returns the claim of a token, with the outcome [Claimed] or [Undone]. It returns [NoClaim]
// with [ErrUnknownClaim] for a token that never claimed or whose claim is no longer remembered, and
// [ErrClock]. It changes nothing.
func (c *Coupon) Find(ctx context.Context, token string) (Receipt, error) {
	s, err := c.stored(ctx, token)
	if err != nil {
		return Receipt{Outcome: outcomeOf(err)}, err
	}
	return s.receipt(token, Claimed, Undone)
}

package coupon

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is a claim as it is kept: the time in seconds and microseconds, the fields, and for each window its label and the fields of its
// counters. Of a claim that was undone "undone", the time and the fields are left.
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
		return record{}, fmt.Errorf("coupon: %q is no claim", text)
	}
	stamp, undone := strings.CutPrefix(lines[0], undoneMark)
	seconds, micros, _ := strings.Cut(stamp, " ")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return record{}, fmt.Errorf("coupon: %q is no claim: %w", text, err)
	}
	us, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return record{}, fmt.Errorf("coupon: %q is no claim: %w", text, err)
	}
	return record{undone: undone, at: time.UnixMicro(s*1e6 + us), fields: lines[1], windows: lines[2:]}, nil
}

// undoneText is the record of a claim, given as text, after it was undone.
func undoneText(text string) string {
	lines := strings.SplitN(text, "\n", 3)
	return undoneMark + lines[0] + "\n" + lines[1]
}

// receipt is the record as callers see it.
func (r record) receipt(token string, standing, undone Outcome) (Receipt, error) {
	fields, err := parseFields(r.fields)
	if err != nil {
		return Receipt{}, fmt.Errorf("coupon: the fields of token %q: %w", token, err)
	}
	if r.undone {
		standing = undone
	}
	return Receipt{Outcome: standing, Token: token, Fields: fields, At: r.at}, nil
}

// Find returns the claim of a token: [Claimed], [Undone], or [Unknown] together with [ErrToken].
func (c *Coupon) Find(ctx context.Context, token string) (Receipt, error) {
	_, list, err := c.find(ctx, token)
	if err != nil {
		return Receipt{}, err
	}
	if len(list) != 3 {
		return Receipt{Outcome: Unknown}, ErrToken
	}
	r, err := parseRecord(list[2].Text())
	if err != nil {
		return Receipt{}, err
	}
	return r.receipt(token, Claimed, Undone)
}

// Undo takes back the claim of a token, exactly once however often it is called: [Undone], then [AlreadyUndone]. The counts that the claim
// raised go down: a claim of yesterday gives back nothing of today. It returns [Unknown] together with [ErrToken] for a token that
// never claimed or is no longer remembered. A token that was undone cannot claim again.
func (c *Coupon) Undo(ctx context.Context, token string) (Receipt, error) {
	for range attempts {
		f, list, err := c.find(ctx, token)
		if err != nil {
			return Receipt{}, err
		}
		if len(list) != 3 {
			return Receipt{Outcome: Unknown}, ErrToken
		}
		text := list[2].Text()
		r, err := parseRecord(text)
		if err != nil {
			return Receipt{}, err
		}
		if r.undone {
			return r.receipt(token, Claimed, AlreadyUndone)
		}
		keys := []string{f.claims[list[1].Int()-1]}
		args := []string{token, text, undoneText(text)}
		for _, w := range r.windows {
			words := strings.Split(w, " ")
			keys = append(keys, c.prefix+words[0])
			args = append(args, strconv.Itoa(len(words)-1))
			args = append(args, words[1:]...)
		}
		v, err := c.r.RunScript(ctx, undoScript, keys, args)
		if err != nil {
			return Receipt{}, err
		}
		if v.Int() == 1 {
			return r.receipt(token, Undone, Undone)
		}
		// Another was faster, or the claim has just expired.
	}
	return Receipt{}, ErrClock
}

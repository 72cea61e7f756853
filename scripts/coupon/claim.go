package coupon

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Outcome is what a call found or did.
type Outcome int

// The outcomes.
const (
	// Unknown: the call failed, or it is unknown what it did; see the error.
	Unknown Outcome = iota
	// Claimed: the claim is valid, made by this call of Claim or found by Find.
	Claimed
	// Repeated: the token claimed before with the same fields; that claim is valid, and nothing was
	// changed.
	Repeated
	// Refused: a limit is reached; nothing was changed. The error is a *LimitError.
	Refused
	// Closed: it is not the time for claims; nothing was changed. The error is ErrNotOpen or
	// ErrClosed.
	Closed
	// Undone: the claim was undone, by this call of Undo or, as Find and Claim report it, before.
	Undone
	// AlreadyUndone: the claim had been undone before this call of Undo; nothing was changed.
	AlreadyUndone
	// NoClaim: the token has no claim, or the claim is no longer remembered. The error is
	// ErrUnknownClaim.
	NoClaim
)

var outcomes = script.Names{
	"unknown", "claimed", "repeated", "refused", "closed", "undone", "already undone", "no claim",
}

// String is the outcome in words.
func (o Outcome) String() string { return outcomes.Of("Outcome", int(o)) }

// MarshalText returns the text of String, also in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Text("coupon.Outcome", int(o)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomes.Read("coupon.Outcome", (*int)(o), text)
}

// Receipt describes a claim. If there is none, only Outcome is set.
type Receipt struct {
	Outcome Outcome   `json:"outcome"`
	Token   string    `json:"token,omitempty"`
	Fields  Fields    `json:"fields,omitempty"` // At is when the claim was made, by the clock of the server, in whole microseconds.
	At      time.Time `json:"at,omitzero"`
}

// Claim takes one coupon under all limits, or none. If a limit is reached, it returns a
// *[LimitError] that names every limit that is reached.
//
// token identifies this claim. A caller that does not know whether a claim was made, for example
// after a lost connection, claims again with the same token; nothing is counted twice, and the
// outcome is then [Repeated] without an error. A token is any text that is not empty, such as an
// order number or rand.Text().
//
// Other errors are [ErrToken], [ErrTokenReused], [ErrUndone], [ErrField], [ErrNotOpen], [ErrClosed]
// and [ErrClock].
func (c *Coupon) Claim(ctx context.Context, token string, fields Fields) (Receipt, error) {
	if token == "" {
		return Receipt{}, ErrToken
	}
	for i := range c.limits {
		if l := &c.limits[i]; !l.covers(fields) {
			return Receipt{}, fmt.Errorf("%w: limit %q counts by %s", ErrField, l.Name, strings.Join(l.Scope, " and "))
		}
	}
	f, r, err := c.inFrame(func(f *frame) (script.Reply, error) {
		var keys [8]string
		var args [32]string
		k, a := c.claimCall(f, keys[:0], args[:0], token, fields)
		return claimScript.Run(ctx, c.c, k, a)
	})
	if err != nil {
		return Receipt{}, err
	}
	switch r.Outcome {
	case "claimed":
		at := r.Int(0)
		if err := r.Err(); err != nil {
			return Receipt{}, err
		}
		return Receipt{Outcome: Claimed, Token: token, Fields: fields, At: time.UnixMicro(at)}, nil
	case "repeated":
		return repeated(token, fields, r, 0)
	case "refused":
		e := c.refusal(f, &r)
		if err := r.Err(); err != nil {
			return Receipt{}, err
		}
		return Receipt{Outcome: Refused}, e
	case wrongTime:
		return c.closed(ctx, token, fields, r.Int(0))
	}
	return Receipt{}, r.Unexpected()
}

// claimCall appends the keys and arguments of the script to keys and args.
func (c *Coupon) claimCall(f *frame, keys, args []string, token string, fields Fields) ([]string, []string) {
	keys = append(keys, f.claims...)
	args = append(args, token, "", f.claim[0], f.claim[1], strconv.Itoa(len(f.claims)), f.claimsEnd)
	var space [256]byte
	record := appendFields(space[:0], fields)
	for i, g := range c.groups {
		k := &f.counters[i]
		record = append(record, '\n')
		record = append(record, k.label...)
		for j, l := range g.limits {
			field := c.limits[l].field(fields)
			keys = append(keys, k.key)
			args = append(args, field, g.most[j], k.expiry)
			record = append(record, ' ')
			record = append(record, field...)
		}
	}
	args[1] = string(record)
	return keys, args
}

// refusal is the error for a reply that lists limits: the position and the count of each limit that
// is reached.
func (c *Coupon) refusal(f *frame, r *script.Reply) *LimitError {
	e := &LimitError{}
	for i := 0; i < r.Len(); i += 2 {
		place, used := int(r.Int(i))-1, r.Int(i+1)
		for g := range c.groups {
			if n := len(c.groups[g].limits); place >= n {
				place -= n
				continue
			}
			if place >= 0 {
				limit := c.limits[c.groups[g].limits[place]]
				e.Reached = append(e.Reached, Usage{Limit: limit, Used: used, ResetAt: f.counters[g].end})
			}
			break
		}
	}
	return e
}

// closed is the answer to a claim at now, in µs since 1970, which is not a time for claims. A claim
// that was made in time is still recognized.
func (c *Coupon) closed(ctx context.Context, token string, fields Fields, now int64) (Receipt, error) {
	_, r, err := c.find(ctx, token)
	switch {
	case err != nil:
		return Receipt{}, err
	case r.Outcome == "found":
		return repeated(token, fields, r, 1)
	case !c.from.IsZero() && now < c.from.UnixMicro():
		return Receipt{Outcome: Closed}, ErrNotOpen
	}
	return Receipt{Outcome: Closed}, ErrClosed
}

// repeated is the answer to a claim whose token is known. Detail i of the reply is the stored
// claim.
func repeated(token string, fields Fields, reply script.Reply, i int) (Receipt, error) {
	text := reply.Text(i)
	if err := reply.Err(); err != nil {
		return Receipt{}, err
	}
	r, err := parseRecord(text)
	switch {
	case err != nil:
		return Receipt{}, err
	case r.fields != string(appendFields(nil, fields)):
		return Receipt{}, fmt.Errorf("%w: %q", ErrTokenReused, token)
	case r.undone:
		return Receipt{Outcome: Undone, Token: token, Fields: fields, At: r.at}, ErrUndone
	}
	return Receipt{Outcome: Repeated, Token: token, Fields: fields, At: r.at}, nil
}

package coupon

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Outcome is what a call found or did.
type Outcome int

// The outcomes.
const (
	// Claimed: the claim stands, made by this call of Claim or found by Find.
	Claimed Outcome = iota + 1
	// Repeated: the token had claimed before with the same fields; that claim stands and nothing was changed.
	Repeated
	// Refused: a limit is reached; nothing was changed. The error is a *LimitError.
	Refused
	// Closed: it is not the time for claims; nothing was changed. The error is ErrNotStarted or ErrEnded.
	Closed
	// Undone: the claim was taken back, by this call of Undo or, as Find and Claim report, before.
	Undone
	// AlreadyUndone: the claim had been taken back before this call of Undo; nothing was changed.
	AlreadyUndone
	// Unknown: there is no claim of that token, or it is no longer remembered.
	Unknown
)

// String is the outcome in words.
func (o Outcome) String() string {
	switch o {
	case Claimed:
		return "claimed"
	case Repeated:
		return "repeated"
	case Refused:
		return "refused"
	case Closed:
		return "closed"
	case Undone:
		return "undone"
	case AlreadyUndone:
		return "already undone"
	case Unknown:
		return "unknown"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// Receipt is what is known of a claim. Where there is none, only Outcome is set.
type Receipt struct {
	Outcome Outcome
	Token   string
	Fields  Fields
	// At is when the claim was made, by the server's clock, in microseconds.
	At time.Time
}

// Claim takes one coupon under all limits, or none: then it returns a *[LimitError] that names the limits that are reached.
//
// token stands for this claim: whoever does not know whether a claim was made, as after a lost connection, claims again with the same token,
// and nothing is counted twice; the outcome is then [Repeated], without an error. It may be any text that is not empty, such as an order's
// number or rand.Text(). Other errors are [ErrTokenReused], [ErrUndone], [ErrField], [ErrNotStarted], [ErrEnded] and [ErrClock].
func (c *Coupon) Claim(ctx context.Context, token string, fields Fields) (Receipt, error) {
	if token == "" {
		return Receipt{}, ErrToken
	}
	for i := range c.limits {
		if l := &c.limits[i]; !l.covers(fields) {
			return Receipt{}, fmt.Errorf("%w: limit %q counts by %s", ErrField, l.Name, strings.Join(l.Scope, " and "))
		}
	}
	f, list, err := c.inFrame(func(f *frame) (engine.Value, error) {
		var keys [8]string
		var args [32]string
		k, a := c.claimCall(f, keys[:0], args[:0], token, fields)
		return c.r.RunScript(ctx, claimScript, k, a)
	})
	if err != nil {
		return Receipt{}, err
	}
	switch {
	case len(list) == 1 && list[0].Int() > 0:
		return Receipt{Outcome: Claimed, Token: token, Fields: fields, At: time.UnixMicro(list[0].Int())}, nil
	case list[0].Int() == 0 && len(list) == 2:
		return c.closed(ctx, token, fields, list[1].Int())
	case list[0].Int() == 2 && len(list) == 2:
		return repeated(token, fields, list[1].Text())
	case list[0].Int() == 3 && len(list) > 2 && len(list)%2 == 0:
		return Receipt{Outcome: Refused}, c.refusal(f, list[2:])
	}
	return Receipt{}, unexpected(list[0])
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

// refusal is the error for what the script says of limits: place and count of each that is reached.
func (c *Coupon) refusal(f *frame, list []engine.Value) error {
	e := &LimitError{}
	for i := 0; i < len(list); i += 2 {
		place := int(list[i].Int()) - 1
		for g := range c.groups {
			if n := len(c.groups[g].limits); place >= n {
				place -= n
				continue
			}
			e.Reached = append(e.Reached, Usage{
				Limit: c.limits[c.groups[g].limits[place]], Used: list[i+1].Int(), ResetAt: f.counters[g].end,
			})
			break
		}
	}
	return e
}

// closed is the answer to a claim at a time, µs since 1970, that is not the coupon's. A claim that was made in time is still known.
func (c *Coupon) closed(ctx context.Context, token string, fields Fields, now int64) (Receipt, error) {
	_, list, err := c.find(ctx, token)
	switch {
	case err != nil:
		return Receipt{}, err
	case len(list) == 3:
		return repeated(token, fields, list[2].Text())
	case !c.from.IsZero() && now < c.from.UnixMicro():
		return Receipt{Outcome: Closed}, ErrNotStarted
	}
	return Receipt{Outcome: Closed}, ErrEnded
}

// repeated is the answer to a claim whose token is known.
func repeated(token string, fields Fields, text string) (Receipt, error) {
	r, err := parseRecord(text)
	switch {
	case err != nil:
		return Receipt{}, err
	case r.fields != string(appendFields(nil, fields)):
		return Receipt{}, ErrTokenReused
	case r.undone:
		return Receipt{Outcome: Undone, Token: token, Fields: fields, At: r.at}, ErrUndone
	}
	return Receipt{Outcome: Repeated, Token: token, Fields: fields, At: r.at}, nil
}

package coupon

import (
	"context"
	"strconv"
	"strings"
)

// undoneText is the record of a claim, given as text, after it was undone.
func undoneText(text string) string {
	lines := strings.SplitN(text, "\n", 3)
	return undoneMark + lines[0] + "\n" + lines[1]
}

// Undo takes back the claim of a token, exactly once no matter how often it is called: the first
// call has the outcome [Undone], the others [AlreadyUndone]. It lowers the counts that the claim
// raised; undoing a claim of yesterday does not lower a count of today. A token that was undone
// cannot claim again.
//
// Undo returns [NoClaim] with [ErrUnknownClaim] for a token that never claimed or whose claim is no
// longer remembered, and [ErrClock].
func (c *Coupon) Undo(ctx context.Context, token string) (Receipt, error) {
	for range attempts {
		s, err := c.stored(ctx, token)
		if err != nil {
			return Receipt{Outcome: outcomeOf(err)}, err
		}
		if s.undone {
			return s.receipt(token, Claimed, AlreadyUndone)
		}
		keys := []string{s.key}
		args := []string{token, s.text, undoneText(s.text)}
		for _, w := range s.windows {
			words := strings.Split(w, " ")
			keys = append(keys, c.prefix+words[0])
			args = append(args, strconv.Itoa(len(words)-1))
			args = append(args, words[1:]...)
		}
		r, err := undoScript.Run(ctx, c.c, keys, args)
		switch {
		case err != nil:
			return Receipt{}, err
		case r.Outcome == "undone":
			return s.receipt(token, Undone, Undone)
		case r.Outcome != "changed":
			return Receipt{}, r.Unexpected()
		}
		// Another call undid the claim first, or the claim has just expired.
	}
	return Receipt{}, ErrClock
}

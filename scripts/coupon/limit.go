package coupon

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limit is one limit of a coupon: at most Max claims for each value of its scope in a window.
type Limit struct {
	// Name names the limit in keys and errors. It must be unique within the coupon, and must not be
	// empty or contain a space, a newline or one of : % = &. A limit that is renamed counts from 0
	// again.
	Name string `json:"name"` // Scope names the fields of a claim whose values are counted separately: {"user"} counts the
	// claims of each user, {"user", "shop"} those of each user in each shop. An empty scope counts
	// all claims together.
	Scope  []string `json:"scope,omitempty"` // Window is the period after which counting starts again at 0. Default: [Ever].
	Window Window   `json:"window"`          // Max is the largest number of claims, from 1 to [MaxCount].
	Max    int64    `json:"max"`             // Err is wrapped by the [LimitError] of a claim that this limit refuses. Default: nil, which adds
	// nothing.
	Err error `json:"-"`
}

// MaxCount is the largest Max of a limit: 2^53-1, because scripts count in float64.
const MaxCount = 1<<53 - 1

// PerUserAndDay limits the claims of each user per day. Its name is "user-day"; claims need the
// field "user"; its error is [ErrDayLimit].
func PerUserAndDay(most int64) Limit {
	return Limit{Name: "user-day", Scope: []string{"user"}, Window: Day, Max: most, Err: ErrDayLimit}
}

// PerUser limits the claims of each user. Its name is "user"; claims need the field "user"; its
// error is [ErrUserLimit].
func PerUser(most int64) Limit {
	return Limit{Name: "user", Scope: []string{"user"}, Max: most, Err: ErrUserLimit}
}

// InTotal limits all claims together. Its name is "total"; its error is [ErrSoldOut].
func InTotal(most int64) Limit { return Limit{Name: "total", Max: most, Err: ErrSoldOut} }

func (l *Limit) check() error {
	switch {
	case l.Name == "" || escape(l.Name) != l.Name:
		return fmt.Errorf("%w: limit name %q is empty or has a space, a newline or one of :%%=&", ErrOptions, l.Name)
	case l.Max < 1 || l.Max > MaxCount:
		return fmt.Errorf("%w: limit %q: Max %d is not from 1 to %d", ErrOptions, l.Name, l.Max, int64(MaxCount))
	case l.Window < Ever || l.Window > Month:
		return fmt.Errorf("%w: limit %q: Window %d does not exist", ErrOptions, l.Name, int(l.Window))
	case slices.Contains(l.Scope, ""):
		return fmt.Errorf("%w: limit %q: Scope has an empty name", ErrOptions, l.Name)
	}
	return nil
}

// covers reports whether the fields have a value for each name of the scope.
func (l *Limit) covers(f Fields) bool {
	for _, name := range l.Scope {
		if f[name] == "" {
			return false
		}
	}
	return true
}

// field is the field of the hash that holds the count for these fields.
func (l *Limit) field(f Fields) string {
	if len(l.Scope) == 1 { // the common case needs no buffer
		return l.Name + ":" + escape(f[l.Scope[0]])
	}
	var b strings.Builder
	b.WriteString(l.Name)
	for _, name := range l.Scope {
		b.WriteByte(':')
		b.WriteString(escape(f[name]))
	}
	return b.String()
}

// ErrLimitReached is wrapped by every [LimitError].
var ErrLimitReached = errors.New("coupon: a limit is reached")

// LimitError is returned by a claim that at least one limit refused. The claim changed nothing. It
// wraps [ErrLimitReached] and the Err of each limit that is reached.
type LimitError struct {
	// Reached are all limits that are reached, by window ([Ever] first), and within a window in the
	// order of Options.Limits.
	Reached []Usage
}

// Error implements error.
func (e *LimitError) Error() string {
	var b strings.Builder
	b.WriteString("coupon: limit reached:")
	for i, u := range e.Reached {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s, %d of %d", u.Limit.Name, u.Used, u.Limit.Max)
	}
	return b.String()
}

// ResetAt is the time from which none of these limits refuses the claim, unless other claims come
// first. It is the zero time if a limit without a window is reached, because its count never starts
// again.
func (e *LimitError) ResetAt() time.Time {
	var last time.Time
	for _, u := range e.Reached {
		if u.ResetAt.IsZero() {
			return time.Time{}
		}
		if u.ResetAt.After(last) {
			last = u.ResetAt
		}
	}
	return last
}

// Unwrap returns [ErrLimitReached] and the Err of each limit that is reached.
func (e *LimitError) Unwrap() []error {
	list := []error{ErrLimitReached}
	for _, u := range e.Reached {
		if u.Limit.Err != nil {
			list = append(list, u.Limit.Err)
		}
	}
	return list
}

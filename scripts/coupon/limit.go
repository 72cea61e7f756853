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
	// Name is the limit's name in keys and errors, unique within the coupon. It must not be empty nor hold space, newline or any of :%=& .
	// A limit that is renamed counts anew.
	Name string
	// Scope names the fields of a claim whose values are counted apart: {"user"} counts each user's claims, {"user", "shop"} those of each user in
	// each shop, none counts all claims together.
	Scope []string
	// Window is the time after which counting begins anew.
	Window Window
	// Max is the most claims, from 1 to [MaxCount].
	Max int64
	// Err is found by errors.Is in the error of a claim that this limit refuses. It may be nil.
	Err error
}

// MaxCount is the greatest Max of a limit; a script counts in float64.
const MaxCount = 1<<53 - 1

// Errors that the three usual limits cause.
var (
	ErrDayLimit  = errors.New("coupon: the user has reached today's limit")
	ErrUserLimit = errors.New("coupon: the user has reached the limit")
	ErrSoldOut   = errors.New("coupon: all coupons are taken")
)

// PerUserAndDay limits the claims of each user in a day. The claim's field is "user"; the error [ErrDayLimit].
func PerUserAndDay(most int64) Limit {
	return Limit{Name: "user-day", Scope: []string{"user"}, Window: Day, Max: most, Err: ErrDayLimit}
}

// PerUser limits the claims of each user. The claim's field is "user"; the error [ErrUserLimit].
func PerUser(most int64) Limit {
	return Limit{Name: "user", Scope: []string{"user"}, Max: most, Err: ErrUserLimit}
}

// InTotal limits all claims. The error is [ErrSoldOut].
func InTotal(most int64) Limit { return Limit{Name: "total", Max: most, Err: ErrSoldOut} }

func (l *Limit) check() error {
	switch {
	case l.Name == "" || escape(l.Name) != l.Name:
		return fmt.Errorf("%w: %q cannot be the name of a limit", ErrOptions, l.Name)
	case l.Max < 1 || l.Max > MaxCount:
		return fmt.Errorf("%w: limit %q of %d", ErrOptions, l.Name, l.Max)
	case l.Window < Ever || l.Window > Month:
		return fmt.Errorf("%w: limit %q has the window %d", ErrOptions, l.Name, l.Window)
	case slices.Contains(l.Scope, ""):
		return fmt.Errorf("%w: limit %q has a scope without a name", ErrOptions, l.Name)
	}
	return nil
}

// covers reports whether the fields say everything that the scope asks for.
func (l *Limit) covers(f Fields) bool {
	for _, name := range l.Scope {
		if f[name] == "" {
			return false
		}
	}
	return true
}

// field is where the count for these fields stands.
func (l *Limit) field(f Fields) string {
	if len(l.Scope) == 1 { // the usual case, without a buffer
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

// Usage is how much of a limit is used.
type Usage struct {
	Limit Limit
	Used  int64
	// ResetAt is when the limit's window ends and counting begins anew, for a limit without a window the zero time.
	ResetAt time.Time
}

// Left is how many more claims the limit allows.
func (u Usage) Left() int64 { return max(0, u.Limit.Max-u.Used) }

// ErrLimitReached is found by errors.Is in every [LimitError].
var ErrLimitReached = errors.New("coupon: a limit is reached")

// LimitError is returned by a claim that at least one limit refused; it changed nothing. errors.Is finds [ErrLimitReached] in it, and the Err
// of each of its limits.
type LimitError struct {
	// Reached are the limits that refused, all of them, by window ([Ever] first) and within it in the order of [Options].
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

// ResetAt is when none of these limits will stand against the claim any more, unless other claims come first. It is the zero time when that is never.
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

// Unwrap returns [ErrLimitReached] and the errors of the limits.
func (e *LimitError) Unwrap() []error {
	list := []error{ErrLimitReached}
	for _, u := range e.Reached {
		if u.Limit.Err != nil {
			list = append(list, u.Limit.Err)
		}
	}
	return list
}

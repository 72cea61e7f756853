package coupon

import (
	"errors"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Errors of a coupon. After all of these nothing was changed.
var (
	// ErrName is returned by New for a name that is empty, longer than 512 bytes or not UTF-8, or
	// that has a brace.
	ErrName = errors.New("coupon: " + script.NameRule)
	// ErrOptions is returned by New for options out of range.
	ErrOptions = errors.New("coupon: options out of range")
	// ErrToken is returned by Claim for an empty token.
	ErrToken = errors.New("coupon: a token must not be empty")
	// ErrTokenReused is returned by Claim if the token was used for a claim with other fields.
	ErrTokenReused = errors.New("coupon: the token was used for another claim")
	// ErrUndone is returned by Claim if the token was used for a claim that was undone.
	ErrUndone = errors.New("coupon: the claim of that token was undone")
	// ErrUnknownClaim is returned by Find and Undo if the token was not used for a claim, or the
	// claim is no longer remembered.
	ErrUnknownClaim = errors.New("coupon: no claim of that token is known")
	// ErrField is returned by Claim if a field that a limit counts by is missing, and by Usage if
	// the fields cover no limit.
	ErrField = errors.New("coupon: a field is missing")
	// ErrNotOpen is returned by Claim before Options.From.
	ErrNotOpen = errors.New("coupon: claims have not begun")
	// ErrClosed is returned by Claim from Options.Until on.
	ErrClosed = errors.New("coupon: claims have ended")
	// ErrClock is returned if the clock of the server jumped to another day or retention period before
	// each of four attempts.
	ErrClock = errors.New("coupon: the clock of the server is not steady")
)

// Errors of the three usual limits; see [PerUserAndDay], [PerUser] and [InTotal].
var (
	ErrDayLimit  = errors.New("coupon: the user has reached the limit of the day")
	ErrUserLimit = errors.New("coupon: the user has reached the limit")
	ErrSoldOut   = errors.New("coupon: all coupons are taken")
)

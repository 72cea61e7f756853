package datastore

import "github.com/redmoon-lua/redmoon/internal/base/decimal"

// ParseInt parses a 64-bit integer in the only form that Redis accepts (string2ll): decimal, no
// spaces, no plus sign, no leading zeros, not "-0". FormatInt of the result is therefore s, so that
// a string can be stored as an integer.
func ParseInt(s string) (int64, bool) { return decimal.Parse(s) }

// FormatInt returns the decimal text of n. It does not allocate for 0 <= n <= 9999.
func FormatInt(n int64) string { return decimal.Format(n) }

package datastore

import "strconv"

// ParseInt reads a 64-bit integer in the one form that Redis takes for a number (string2ll):
// decimal, no spaces, no plus sign, no leading zeros, "-0" refused. The text of the result
// is therefore s again, which is what lets a string be kept as an integer.
func ParseInt(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 20 {
		return 0, false
	}
	d := s
	if d[0] == '-' {
		d = d[1:]
	}
	if len(d) == 0 || d[0] < '1' || d[0] > '9' {
		return 0, s == "0"
	}
	if len(d) > 18 {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	n := int64(0)
	for i := 0; i < len(d); i++ {
		x := d[i] - '0'
		if x > 9 {
			return 0, false
		}
		n = n*10 + int64(x)
	}
	if len(d) != len(s) {
		n = -n
	}
	return n, true
}

// sharedInts is how many small integers share one text (and, in Redis, one object).
const sharedInts = 10000

// smallDigits holds the numbers below sharedInts, four digits each. It is never written again.
var smallDigits = func() string {
	b := make([]byte, 0, 4*sharedInts)
	for n := range sharedInts {
		b = append(b, byte('0'+n/1000), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
	}
	return string(b)
}()

// FormatInt returns the decimal text of n; for 0 to 9999 without allocating.
func FormatInt(n int64) string {
	if n < 0 || n >= sharedInts {
		return strconv.FormatInt(n, 10)
	}
	skip := int64(0)
	switch {
	case n < 10:
		skip = 3
	case n < 100:
		skip = 2
	case n < 1000:
		skip = 1
	}
	return smallDigits[4*n+skip : 4*n+4]
}

package decimal

import "strconv"

// Parse parses s in that form, as Redis's string2ll does. Format of the result is s.
func Parse(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 20 || s[0] > '9' {
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

// Shared is the number of small integers, from 0 on, whose text is shared. Redis shares the objects
// of the same integers.
const Shared = 10000

// smallDigits holds the numbers below Shared, four digits each. It is never changed.
var smallDigits = func() string {
	b := make([]byte, 0, 4*Shared)
	for n := range Shared {
		b = append(b, byte('0'+n/1000), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
	}
	return string(b)
}()

// Format returns the decimal text of n. It does not allocate for 0 <= n <= 9999.
func Format(n int64) string {
	if n < 0 || n >= Shared {
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

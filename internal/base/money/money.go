package money

import (
	"fmt"
	"strconv"
	"strings"
)

// Format returns an amount given in cents: Format(1234567) is "12,345.67".
func Format(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%s.%02d", sign, Count(cents/100), cents%100)
}

// Count returns a number with commas between the thousands: Count(1234567) is "1,234,567".
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Parse returns the cents of an amount with at most two decimals, with or without commas.
func Parse(s string) (cents int64, err error) {
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(s, ",", ""), ".")
	if whole == "" || len(fraction) > 2 || strings.ContainsAny(whole+fraction, "+-_") {
		return 0, fmt.Errorf("%q is not an amount of money such as 1000.00", s)
	}
	cents, err = strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of money such as 1000.00", s)
	}
	return cents, nil
}

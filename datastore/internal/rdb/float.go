package rdb

import (
	"strconv"
	"strings"
)

// ScanFloat reads the number that s begins with, in the syntax of C's strtod, after optional
// spaces; ok is false if there is none.
func ScanFloat(s string) (f float64, ok bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	n := 0
	for n < len(s) && strings.IndexByte("+-.0123456789abcdefinptxyABCDEFINPTXY", s[n]) >= 0 {
		n++
	}
	for ; n > 0; n-- {
		f, err := strconv.ParseFloat(s[:n], 64)
		if err == nil || err.(*strconv.NumError).Err == strconv.ErrRange {
			return f, true
		}
		if f, err = strconv.ParseFloat(s[:n]+"p0", 64); err == nil && strings.ContainsAny(s[:n], "xX") {
			return f, true
		}
	}
	return 0, false
}

// readFloat is ScanFloat in the syntax of C's sscanf, which does not go back to a shorter number: a
// prefix 0x without digits, and a word that is longer than inf but not infinity, are none.
func readFloat(s string) (f float64, ok bool) {
	word := strings.ToLower(strings.TrimLeft(s, " \t\n\v\f\r"))
	if word != "" && (word[0] == '+' || word[0] == '-') {
		word = word[1:]
	}
	if digits, hex := strings.CutPrefix(word, "0x"); hex && (digits == "" || strings.IndexByte("0123456789abcdef.", digits[0]) < 0) {
		return 0, false
	}
	if strings.HasPrefix(word, "infi") && !strings.HasPrefix(word, "infinity") {
		return 0, false
	}
	return ScanFloat(s)
}

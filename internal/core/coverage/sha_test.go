package coverage_test

import (
	"crypto/sha1"
	"encoding/hex"
)

func shaOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

package wild

import (
	"crypto/sha1"
	"encoding/hex"
)

func sha1Hex(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// scripts are the texts that a server has been given, by SHA1 in lower case.
type scripts map[string]string

// learn remembers the script that a request brings along.
func (s scripts) learn(r request) {
	if i := r.script(); i > 0 && !r.bySHA() {
		s[sha1Hex(r[i])] = r[i]
	}
}

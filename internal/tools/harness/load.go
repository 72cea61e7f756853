package harness

import "strings"

// IsRDB reports whether a file of test data is an RDB file, by its name or by its first bytes.
// Other files are those of package fixture.
func IsRDB(name string, head []byte) bool {
	const magic, version = "REDIS", 4 // digits
	if strings.HasSuffix(name, ".rdb") {
		return true
	}
	digits, ok := strings.CutPrefix(string(head[:min(len(head), len(magic)+version)]), magic)
	return ok && len(digits) == version && strings.Trim(digits, "0123456789") == ""
}

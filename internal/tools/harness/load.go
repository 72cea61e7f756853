package harness

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

// IsRDB reports whether a file of test data is an RDB file, by its name or by its first bytes.
// Other files are those of package fixture.
func IsRDB(name string, head []byte) bool {
	const first = len("REDIS0010") // or VALKEY080
	if strings.HasSuffix(name, ".rdb") {
		return true
	}
	return len(head) >= first && rdbhead.Begins(head, true) &&
		strings.Trim(string(head[rdbhead.Size:first]), "0123456789") == ""
}

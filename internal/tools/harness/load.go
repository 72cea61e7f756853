package harness

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// IsRDB reports whether a file of test data is an RDB file, by its name or by its first bytes.
// Other files are those of package fixture.
func IsRDB(name string, head []byte) bool {
	const first = len("REDIS0010") // or VALKEY080
	if strings.HasSuffix(name, ".rdb") {
		return true
	}
	return len(head) >= first && datastore.BeginsFile(head, datastore.AnyVersion) &&
		strings.Trim(string(head[datastore.SignatureSize:first]), "0123456789") == ""
}

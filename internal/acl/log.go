package acl

// DenialEntry is one entry of ACL LOG.
type DenialEntry struct {
	Count            int64
	Why              Denial
	Context          string
	Object, Username string
	At               int64 // ms: the last time
	Client           string
}

// The grouping of ACL LOG: a denial equal to one of the newest few, and of the same minute, raises
// its count.
const (
	LogGroupEntries = 10
	LogGroupTime    = 60_000 // ms
)

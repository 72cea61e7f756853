package acl

// DenialEntry is one entry of ACL LOG.
type DenialEntry struct {
	ID               int64 // entries are numbered from 0; ACL LOG RESET does not begin again
	Created          int64 // time of the first denial, ms since the epoch
	Count            int64
	Why              Denial
	Context          string
	Object, Username string
	At               int64 // time of the last denial, ms since the epoch
	Client           string
}

// The grouping of ACL LOG: a denial that equals one of the newest LogGroupEntries entries, and is
// at most LogGroupTime later, increments its count.
const (
	LogGroupEntries = 10
	LogGroupTime    = 60_000 // ms
)

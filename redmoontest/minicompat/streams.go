package miniredis

import "errors"

// StreamEntry is an entry of a stream.
type StreamEntry struct {
	ID     string   // "123-0"
	Values []string // field, value, field, value ...
}

// errInvalidEntryID is the error of XAdd for a malformed ID.
var errInvalidEntryID = errors.New("stream ID is invalid")

// XAdd adds an entry to a stream and returns its ID. With the id "" or "*" the ID is made from the
// time of day. The errors are [ErrWrongType] and those of XADD.
func (db *RedisDB) XAdd(k string, id string, values []string) (string, error) {
	if id == "" {
		id = "*"
	}
	return ask(db, func(t tx) (string, error) {
		v := t.do(append([]string{"XADD", k, id}, values...)...)
		switch err := asError(v); {
		case err == nil:
			return v.Text(), nil
		case err.Error() == "ERR Invalid stream ID specified as stream command argument":
			return "", errInvalidEntryID
		default:
			return "", err
		}
	})
}

// Stream returns the entries of a stream, the oldest first, nil if it does not exist. The error is
// [ErrWrongType].
func (db *RedisDB) Stream(key string) ([]StreamEntry, error) {
	return ask(db, func(t tx) ([]StreamEntry, error) {
		v := t.do("XRANGE", key, "-", "+")
		if err := asError(v); err != nil {
			return nil, err
		}
		var entries []StreamEntry
		for _, e := range v.Slice() {
			entries = append(entries, StreamEntry{ID: e.Slice()[0].Text(), Values: e.Slice()[1].Strings()})
		}
		return entries, nil
	})
}

package studio

import (
	"cmp"
	"context"
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
)

// addKeys adds the keys of database 0, ordered by name.
func (s *Session) addKeys(st *State) error {
	changed := map[string]bool{}
	for _, c := range st.Changes {
		changed[c.Key] = true
	}
	return s.e.View(context.Background(), func(ks engine.Keyspace) error {
		keys := slices.SortedFunc(ks.Keys(0), func(a, b engine.Key) int { return cmp.Compare(a.Name(), b.Name()) })
		st.More = max(0, len(keys)-maxElements)
		for _, k := range keys[:len(keys)-st.More] {
			key := Key{Name: cut(k.Name()), Type: k.Type(), Len: k.Len(), TTL: -1, Latest: changed[k.Name()]}
			if at := k.ExpireAt(); !at.IsZero() {
				key.TTL = at.Sub(ks.Now()).Milliseconds()
			}
			if key.Len <= maxText {
				key.Value = cut(shorten(k.Value()).String())
			}
			st.Keys = append(st.Keys, key)
		}
		return nil
	})
}

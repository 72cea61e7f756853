package hashslot

import "sync"

// tagBytes are the bytes of hash tags that [Tag] returns, in its order.
const tagBytes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Tag returns the hash tag with which Valkey names a slot in cursors of CLUSTERSCAN: the shortest
// text of digits and letters that has the slot. Of several it is the first, with digits before
// small letters and these before large ones.
func Tag(slot int) string { return tags()[slot] }

// UpToTag returns the key up to the end of its hash tag, or "" if it has none.
func UpToTag(key string) string {
	_, to := tagOf(key)
	if to > 0 {
		to++
	}
	return key[:to]
}

// tags makes the tags of all slots. Each has one to three bytes.
var tags = sync.OnceValue(func() *[Count]string {
	all, missing := new([Count]string), Count
	texts := []string{""}
	for missing > 0 {
		longer := make([]string, 0, len(texts)*len(tagBytes))
		for _, t := range texts {
			for i := range len(tagBytes) {
				text := t + tagBytes[i:i+1]
				if slot := slotOf(text); all[slot] == "" {
					all[slot] = text
					missing--
				}
				longer = append(longer, text)
			}
		}
		texts = longer
	}
	return all
})

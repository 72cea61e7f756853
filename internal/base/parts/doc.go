// Package parts holds long texts while they arrive. The peer that sends a text has announced its
// length, and is not trusted: memory is reserved as the bytes arrive, at most half as much again as
// has arrived.
//
// A text in one buffer that grows would be copied at each growth, and the copies of before stay
// until the collector finds them: three times the text. So the bytes stay where they have arrived
// until the text is whole. Only then are they copied into one string, and the memory of each part
// goes back to the system after it has been copied.
package parts

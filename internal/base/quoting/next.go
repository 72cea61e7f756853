package quoting

// Next cuts the first word off line, by the rules of [AppendWords]. quoted reports whether a part
// of the word stands in quotes. At the end of the line word is empty and rest is nil. ok is false
// for quotes that do not balance.
func Next(line []byte) (word string, quoted bool, rest []byte, ok bool) {
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	if len(line) == 0 {
		return "", false, nil, true
	}
	word, rest, ok = nextWord(line, false)
	return word, ok && len(word) < len(line)-len(rest), line[len(line)-len(rest):], ok
}

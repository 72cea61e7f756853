package repo

import "regexp"

// Word is an expression that comments, documents and identifiers avoid.
type Word struct {
	Word    string // as the reader knows it
	Instead string // what to write
	Names   bool   // identifiers avoid it as well

	pattern *regexp.Regexp
	allowed *regexp.Regexp // removed from the text before pattern is tried; nil: nothing
}

// count returns how often the word begins in text. following is the first word of the next line, so
// that an expression broken by a line end is found.
func (w Word) count(text, following string) int {
	text += " " + following
	if w.allowed != nil {
		text = w.allowed.ReplaceAllString(text, "")
	}
	end := len(text) - len(following) - 1
	n := 0
	for _, at := range w.pattern.FindAllStringIndex(text, -1) {
		if at[0] < end {
			n++
		}
	}
	return n
}

var words = []Word{
	{Word: "told", Instead: "reported, notified, given, known", Names: true, pattern: word(`told`)},
	{Word: "tell", Instead: "report, notify, say, show; distinguish", Names: true, pattern: word(`tells?|telling`)},
	{Word: "but for", Instead: "except", pattern: word(`but for`)},
	{Word: "anew", Instead: "again", Names: true, pattern: word(`anew`)},
	{Word: "at once", Instead: "immediately; at the same time", pattern: word(`at once`)},
	{Word: "heed", Instead: "obey, check, respect", Names: true, pattern: word(`heed(s|ed|ing)?`)},
	{Word: "let go", Instead: "release, free, drop", Names: true, pattern: word(`lets? go|letting go`)},
	{Word: "deaf", Instead: "unread, blocked, disconnected", Names: true, pattern: word(`deaf`)},
	{Word: "parted", Instead: "split, separated", Names: true, pattern: word(`parted`)},
	{Word: "undenied", Instead: "a name that needs no comment", Names: true, pattern: word(`undenied`)},
	{Word: "kin", Instead: "related commands, the other methods of it", Names: true, pattern: word(`kin`)},
	{Word: "to and fro", Instead: "in both directions; at random", pattern: word(`to and fro`)},
	{Word: "worded", Instead: "written, translated, formatted", Names: true, pattern: word(`worded`)},
	{Word: "is no", Instead: "is not a", pattern: word(`(is|are|was|were) no [a-z]+`),
		allowed: word(`there (is|are|was|were) no|(is|are|was|were) no (longer|more)`)},
	{Word: "is of", Instead: "belongs to, has", pattern: word(`(is|are|was|were) of`),
		allowed: word(`(is|are|was|were) of (another|the same|the type|type|no use)`)},
	{Word: "for who", Instead: "for a caller that", pattern: word(`(for|by|to) who`)},
	{Word: "nothing but", Instead: "only", pattern: word(`nothing but`)},
	{Word: "such as that", Instead: "for example", pattern: word(`such as that`)},
	{Word: "otherwise than", Instead: "in another way than, except by", pattern: word(`otherwise than`)},
}

func word(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// Words returns the expressions that comments, documents and identifiers avoid.
func Words() []Word { return words }

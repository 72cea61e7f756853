package repo

// Sentences that have to be read twice. They have no wrong word: two or more "that" or "those"
// stand for different things, or the subject is a pronoun whose noun is somewhere else. So whole
// sentences are looked at, also those that are broken by line ends.

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Shape is a form of sentences that comments and documents avoid.
type Shape struct {
	Shape   string // as the reader knows it
	Instead string // what to write

	pattern *regexp.Regexp
}

const nameIt = "name what is meant, or make two sentences"

var shapes = []Shape{
	{Shape: "that that", Instead: nameIt, pattern: word(`that that`)},
	{Shape: "is that of … that", Instead: nameIt,
		pattern: word(`(is|are|was|were) (that|those) (of|in|with|from|for)\b.*\b(that|which|who|whose)`)},
	{Shape: "is that of … and of", Instead: nameIt,
		pattern: word(`(is|are|was|were) (that|those) of\b.*\b(and|or) of`)},
	{Shape: "are those that", Instead: "say what they are, such as: are the commands that",
		pattern: word(`(is|are|was|were) (that|those) (that|which|who|whose)`)},
	{Shape: "those that … that", Instead: nameIt, pattern: word(`those that\b.*\bthat`)},
	{Shape: "the one that … that", Instead: nameIt, pattern: word(`the one that\b.*\b(that|who|whose)`)},
	{Shape: "that … that … that", Instead: nameIt, pattern: word(`that\b[^,]*\bthat\b[^,]*\bthat`)},
	{Shape: "what … is that", Instead: nameIt, pattern: word(`what\b[^,]*\b(is|are) (that|those|what)`)},
	{Shape: "that is not.", Instead: "say what it is",
		pattern: regexp.MustCompile(`(?i)\b(that|which|who) (is|are|was|were|do|does|did|has|have) not([.,;:]|$)`)},
	{Shape: "It goes before", Instead: "repeat the noun",
		pattern: regexp.MustCompile(`(?i)^(it|this|they|these|those) (goes?|comes?|stands?|lies?) (before|after|behind|first|last)\b`)},
}

// Shapes returns the forms of sentences that comments and documents avoid.
func Shapes() []Shape { return shapes }

// pronoun finds the sentences that may have one of the shapes, which is faster than to try all.
var pronoun = regexp.MustCompile(`that|those|what|which|^(It|This|They|These|Those) |^(it|this|they|these) `)

// sentence is a sentence or a part of one that ends in a colon or semicolon.
type sentence struct {
	line int // the number of the line in which it begins
	text string
}

// misread returns the findings about the sentences of a file. Its documents in docs are left out.
func misread(name string, lines []Line) (found []Finding) {
	if strings.HasPrefix(name, "docs/") {
		return nil
	}
	for _, s := range sentences(lines) {
		if !pronoun.MatchString(s.text) {
			continue
		}
		for _, shape := range shapes {
			if at := shape.pattern.FindString(s.text); at != "" {
				found = append(found, Finding{File: name, Line: s.line, Rule: shape.Shape,
					Message: fmt.Sprintf("%q in %q: %s", shape.Shape, s.text, shape.Instead)})
			}
		}
	}
	return found
}

// sentences cuts comments and prose into sentences.
func sentences(lines []Line) (list []sentence) {
	var p paragraph
	for i, l := range lines {
		text, ok := proseOf(l)
		continues := ok && i > 0 && lines[i-1].Kind == l.Kind && lines[i-1].Number+1 == l.Number &&
			l.Kind != Table && l.Kind != Trailing && !item.MatchString(text)
		if !continues {
			list = append(list, p.sentences()...)
			p = paragraph{}
		}
		if ok {
			p.add(l.Number, text)
		}
	}
	return append(list, p.sentences()...)
}

// item is the begin of an item of a list.
var item = regexp.MustCompile(`^([-*]|[0-9]+\.) `)

// proseOf returns the text of a line of prose. It returns false if there is none: the line is code,
// or ends a paragraph.
func proseOf(l Line) (string, bool) {
	text := strings.TrimSpace(l.Text)
	switch l.Kind {
	case Comment, Trailing:
		if strings.HasPrefix(text, "//\t") { // code
			return "", false
		}
		text = strings.TrimSpace(strings.TrimLeft(text, "/"))
	case Prose, Table:
		text = plain(text)
	default:
		return "", false
	}
	return text, text != ""
}

// paragraph collects lines that belong together.
type paragraph struct {
	text    string
	begins  []int // where each line begins in text
	numbers []int // the numbers of the lines
}

func (p *paragraph) add(number int, text string) {
	if p.text != "" {
		p.text += " "
	}
	p.begins, p.numbers = append(p.begins, len(p.text)), append(p.numbers, number)
	p.text += text
}

var sentenceEnd = regexp.MustCompile(`[.:;!?][)"]?\s+`)

func (p *paragraph) sentences() (list []sentence) {
	from := 0
	cut := func(to int) {
		if text := strings.TrimSpace(p.text[from:to]); text != "" {
			line := sort.SearchInts(p.begins, from+1) - 1
			list = append(list, sentence{line: p.numbers[line], text: text})
		}
		from = to
	}
	for _, at := range sentenceEnd.FindAllStringIndex(p.text, -1) {
		cut(at[1])
	}
	cut(len(p.text))
	return list
}

package luatest

import (
	"regexp"
	"slices"
	"strings"
)

// noGlobal matches the error of a test that uses a global that does not exist.
var noGlobal = regexp.MustCompile(`attempt to (?:call|index) global '(\w+)' \(a nil value\)$`)

// hintFor returns the word to use if an error says that a test uses the name that another framework
// (jest, mocha, luaunit) has for it, or "".
func hintFor(message string) string {
	m := noGlobal.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	for _, o := range otherNames {
		if slices.Contains(strings.Fields(o.names), m[1]) {
			return "(the word for " + m[1] + " is " + strings.ReplaceAll(o.word, "NAME", m[1]) + ")"
		}
	}
	return ""
}

// otherNames are the names that other frameworks have for a word. NAME in the word is the name.
var otherNames = []struct{ word, names string }{
	{"before_each", "beforeEach BeforeEach setUp"},
	{"after_each", "afterEach AfterEach tearDown"},
	{"setup", "beforeAll before_all BeforeAll before"},
	{"teardown", "afterAll after_all AfterAll after"},
	{"describe", "suite group"},
	{"it", "specify scenario"},
	{"pending", "xit xdescribe xtest todo skip"},
	{"it, and --filter chooses tests", "fit fdescribe only"},
	{"assert, as in assert.are.equal(expected, value)", "expect"},
	{"assert.are.equal", "assertEquals assertEqual assert_equal assert_equals assert_eq"},
	{"assert.are.same", "assertItemsEquals assert_same"},
	{"assert.is_true", "assertTrue assert_true"},
	{"assert.is_false", "assertFalse assert_false"},
	{"assert.is_nil", "assertNil assert_nil"},
	{"assert.has_error", "assertError assert_error"},
	{"spy, stub or mock", "jest sinon vi"},
	{"gen.NAME", "integer number boolean oneof record arg"},
	{"clock.advance", "sleep"},
}

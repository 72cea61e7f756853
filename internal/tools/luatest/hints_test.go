package luatest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

func TestNamesOfOtherFrameworksGetAHint(t *testing.T) {
	for text, want := range map[string]string{
		"beforeEach(function() end)":                            "(the word for beforeEach is before_each)",
		"it('x', function() expect(1).to.be(2) end)":            "(the word for expect is assert, as in assert.are.equal(expected, value))",
		"it('x', function() expect.equal(1, 2) end)":            "(the word for expect is assert, as in assert.are.equal(expected, value))",
		"describe('x', function() afterAll(print) end)":         "(the word for afterAll is teardown)",
		"property('x', integer(1, 2), print)":                   "(the word for integer is gen.integer)",
		"it('x', function() nosuch() end)":                      "",
		"it('x', function() local expect expect() end)":         "",
		"it('x', function() error('expect is missing', 0) end)": "",
	} {
		dir := write(t, map[string]string{"x_spec.lua": text, "y.lua": "error()"})
		c := runAll(t, dir, &luatest.Options{})
		require.Len(t, c.files, 1)
		message := c.files[0].Results[0].Problems[0].Message
		_, hint, _ := strings.Cut(message, "\n")
		require.Equal(t, want, hint, text)
	}
	c := runAll(t, write(t, map[string]string{"x_spec.lua": "test('x', function() end)"}), &luatest.Options{})
	require.Equal(t, []string{"x: passed"}, c.lines(), "test is a word")
}

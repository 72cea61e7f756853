package luabridge

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"
)

// Engines that run the same script share its compiled form. Nobody changes code after it has been
// compiled: what a VM learns about it while it runs is kept in the VM.

// compiledText is the compiled form of a script or of a function library.
type compiledText struct {
	code
	reserved int64 // bytes that were counted while it was compiled
}

// textKey identifies a text. Two texts are the same only if all bytes are: a SHA1 can be forged.
type textKey struct {
	chunk, body string // the name of the chunk, and the text without its first line if that begins with #!
}

// compiledTexts finds the compiled form of a text as long as some VM has it, or if it is one of
// those that were used last. Any goroutine may use it.
type compiledTexts struct {
	mu     sync.Mutex
	texts  map[textKey]weak.Pointer[compiledText]
	recent []*compiledText // used last; the latest comes last
	size   int64           // approximate size of recent, bytes
}

// What is kept of the texts that no VM has: a number of texts, and their approximate size in bytes.
const (
	keptTexts    = 64
	keptTextSize = 4 << 20
)

// texts are those of the whole program.
var texts compiledTexts

// find returns the compiled form of a text, or nil.
func (c *compiledTexts) find(key textKey) *compiledText {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.texts[key].Value()
	if t != nil {
		c.use(t)
	}
	return t
}

// add adds the compiled form of a text. It returns the one that another goroutine has added
// meanwhile, if there is one.
func (c *compiledTexts) add(key textKey, t *compiledText) *compiledText {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.texts[key].Value(); other != nil {
		return other
	}
	if c.texts == nil {
		c.texts = map[textKey]weak.Pointer[compiledText]{}
	}
	c.texts[key] = weak.Make(t)
	runtime.AddCleanup(t, c.forget, key)
	c.use(t)
	return t
}

// use makes t the latest of those that were used.
func (c *compiledTexts) use(t *compiledText) {
	switch i := slices.Index(c.recent, t); {
	case i < 0:
		c.size += t.reserved
	case i == len(c.recent)-1:
		return
	default:
		c.recent = slices.Delete(c.recent, i, i+1)
	}
	c.recent = append(c.recent, t)
	for len(c.recent) > keptTexts || c.size > keptTextSize {
		c.size -= c.recent[0].reserved
		c.recent = slices.Delete(c.recent, 0, 1)
	}
}

// forget removes a text that has been freed, unless it has been added again.
func (c *compiledTexts) forget(key textKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.texts[key]; ok && t.Value() == nil {
		delete(c.texts, key)
	}
}

// compileText returns the compiled form of a text. It is an error in the same cases whether or not
// another VM has compiled the text before. Long texts are always compiled: that takes time, and
// l.Stop can end it. So are texts that are counted or measured: their code has marks, and the
// counters belong to one VM.
func compileText(key textKey, l CompileLimits) (*compiledText, error) {
	share := len(key.body) < LongText && !l.watches()
	if share {
		if t := texts.find(key); t != nil && (l.MaxMemory <= 0 || t.reserved <= l.MaxMemory) {
			return t, nil
		}
		key.body = strings.Clone(key.body) // it may be a part of a longer text
	}
	size := int64(0)
	c, err := compile(key.body, key.chunk, l.options(&size))
	if err != nil {
		return nil, err
	}
	t := &compiledText{code: c, reserved: size}
	if share {
		t = texts.add(key, t)
	}
	return t, nil
}

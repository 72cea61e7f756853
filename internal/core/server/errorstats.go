package server

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// MaxErrorStats is the number of codes from which on codes that only scripts use share one counter,
// ErrorsOverflow. Number and name are those of Redis 7.4. Redis 7.0 counts any number of codes, so
// that a script can fill the memory with them.
const (
	MaxErrorStats  = 128
	ErrorsOverflow = "ERRORSTATS_OVERFLOW"
)

// CountError counts an error reply by its code, unless it has been counted: a script passes on the
// errors of redis.call.
func (st *Stats) CountError(v reply.Value) {
	if v.Counted() {
		return
	}
	const most = 31 // Redis looks for the end of the code in so many bytes
	code, text := "ERR", v.Text()
	if end := strings.IndexByte(text[:min(len(text), most)], ' '); end >= 0 {
		code = text[:end]
	}
	if _, known := st.Errors[code]; !known {
		if len(st.Errors) >= MaxErrorStats && !errtext.IsCode(code) {
			code = ErrorsOverflow
		}
		code = strings.Clone(code) // without the rest of the text
	}
	st.Errors[code]++
	st.ErrorReplies++
}

package aof

import "strconv"

// AppendCommand appends a command to b as Redis writes it. args must not be empty.
func AppendCommand[T ~string | ~[]byte](b []byte, args []T) []byte {
	b = appendHeader(b, '*', int64(len(args)))
	for _, a := range args {
		b = appendHeader(b, '$', int64(len(a)))
		b = append(b, a...)
		b = append(b, '\r', '\n')
	}
	return b
}

// AppendTimestamp appends the annotation of a time, in seconds of Unix time
// (aof-timestamp-enabled).
func AppendTimestamp(b []byte, seconds int64) []byte {
	b = append(b, "#TS:"...)
	b = strconv.AppendInt(b, seconds, 10)
	return append(b, '\r', '\n')
}

func appendHeader(b []byte, mark byte, n int64) []byte {
	b = append(b, mark)
	b = strconv.AppendInt(b, n, 10)
	return append(b, '\r', '\n')
}

package listpack

// AppendText appends a text as an entry to raw entries; see [List.Splice].
func AppendText(raw []byte, s string) []byte { return appendText(raw, s) }

// AppendInt appends an integer as an entry to raw entries.
func AppendInt(raw []byte, n int64) []byte { return appendInt(raw, n) }

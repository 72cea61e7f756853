package server

// Replication is what the server itself needs of package internal/replication. Handlers get its
// state by replication.Of.
type Replication interface {
	// ReplID returns the replication ID.
	ReplID() string
	// Offset returns the offset of the last byte of the replication stream.
	Offset() int64
	// WriteInfo writes the fields of the section Replication of INFO.
	WriteInfo(w *InfoWriter)
}

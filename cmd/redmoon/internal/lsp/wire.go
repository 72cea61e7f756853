package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/redmoon-lua/redmoon/internal/base/framing"
)

// errFraming is returned if the beginning of the next message cannot be found.
var errFraming = errors.New("not the Language Server Protocol")

var format = framing.Format{Lost: errFraming, MaxHeader: 8 << 10, MaxMessage: 32 << 20}

// stream implements jsonrpc2.ObjectStream. What is not a message of JSON-RPC gets an error reply,
// and the stream goes on; only wrong framing ends it.
type stream struct {
	r *bufio.Reader
	c io.Closer // ends a pending read; nil: nothing does

	mu sync.Mutex
	w  io.Writer
}

func newStream(in io.Reader, out io.Writer) *stream {
	c, _ := in.(io.Closer)
	return &stream{r: bufio.NewReader(in), w: out, c: c}
}

// ReadObject implements jsonrpc2.ObjectStream.
func (s *stream) ReadObject(v any) error {
	for {
		raw, err := format.Read(s.r)
		if err != nil {
			return err
		}
		err = json.Unmarshal(raw, v)
		if err == nil && len(strings.TrimSpace(string(raw[:min(len(raw), 100)]))) > 0 && !isBatch(raw) {
			return nil
		}
		code := int64(jsonrpc2.CodeInvalidRequest)
		if !json.Valid(raw) {
			code = jsonrpc2.CodeParseError
		}
		message := "batches are not supported"
		if err != nil {
			message = err.Error()
		}
		if err := s.WriteObject(errorReply(idOf(raw), code, message)); err != nil {
			return err
		}
	}
}

func isBatch(raw []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(raw)), "[") }

// idOf returns the id of a message as far as it can be read.
func idOf(raw []byte) json.RawMessage {
	var part struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(raw, &part) != nil || part.ID == nil {
		return json.RawMessage("null")
	}
	return part.ID
}

func errorReply(id json.RawMessage, code int64, message string) any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}}
}

// WriteObject implements jsonrpc2.ObjectStream.
func (s *stream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return framing.Write(s.w, body)
}

// Close implements jsonrpc2.ObjectStream.
func (s *stream) Close() error {
	if s.c != nil {
		return s.c.Close()
	}
	return nil
}

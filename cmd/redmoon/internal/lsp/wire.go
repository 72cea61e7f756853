package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	maxMessage = 32 << 20 // bytes
	maxHeader  = 8 << 10
)

// errFraming is returned if the beginning of the next message cannot be found.
var errFraming = errors.New("not the Language Server Protocol")

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
		raw, err := readMessage(s.r)
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
	_, err = s.w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}

// Close implements jsonrpc2.ObjectStream.
func (s *stream) Close() error {
	if s.c != nil {
		return s.c.Close()
	}
	return nil
}

// readMessage reads one message and its header.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length, left := -1, maxHeader
	for {
		line, err := r.ReadSlice('\n')
		if left -= len(line); left < 0 || errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("%w: the header is too long", errFraming)
		}
		if err != nil {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%w: %q", errFraming, text)
		}
		if strings.EqualFold(name, "Content-Length") {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			if err != nil {
				return nil, fmt.Errorf("%w: %q", errFraming, text)
			}
			length = int(n)
		}
	}
	switch {
	case length < 0:
		return nil, fmt.Errorf("%w: no Content-Length", errFraming)
	case length > maxMessage:
		return nil, fmt.Errorf("%w: a message of %d bytes is too long", errFraming, length)
	}
	return readFull(r, length)
}

// readFull reads n bytes. The buffer grows as bytes arrive, so that a wrong length does not
// allocate memory.
func readFull(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 64<<10))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		m, err := io.ReadFull(r, b[len(b):min(cap(b), n)])
		if b = b[:len(b)+m]; err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return b, nil
}

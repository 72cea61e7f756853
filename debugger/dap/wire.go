package dap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-dap"
)

const (
	// maximum length of a message in bytes
	maxMessage = 16 << 20
	// maximum length of a message's header in bytes
	maxHeader = 4 << 10
	// how long a client may block a write before the connection is closed
	writeTimeout = 30 * time.Second
)

// errFraming is returned if the beginning of the next message cannot be found.
var errFraming = errors.New("not the Debug Adapter Protocol")

// readMessage reads one message and its header. A header field other than Content-Length and
// Content-Type is an error, because it may come from a web page.
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
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		switch strings.ToLower(name) {
		case "content-length":
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			if err != nil || length >= 0 {
				return nil, fmt.Errorf("%w: %q", errFraming, text)
			}
			length = int(n)
		case "content-type":
		default:
			return nil, fmt.Errorf("%w: %q", errFraming, text)
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

// writeMessage writes a message with its header. It returns an error if a client on a network does
// not take it in time.
func writeMessage(w io.Writer, message []byte) error {
	if c, ok := w.(net.Conn); ok {
		_ = c.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	_, err := w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(message)), message...))
	return err
}

// envelope holds the fields that all messages share.
type envelope struct {
	Seq     int    `json:"seq"`
	Type    string `json:"type"`
	Command string `json:"command"`
}

// message is a message of the client.
type message struct {
	envelope
	raw     []byte
	request dap.RequestMessage // nil: the message has a problem or is not a request
	problem string             // why the message cannot be handled
}

// decode decodes a message. It never fails: an error is in problem.
func decode(raw []byte) message {
	m := message{raw: raw}
	if err := json.Unmarshal(raw, &m.envelope); err != nil {
		// The response names the request as far as it can be decoded.
		var part struct {
			Seq     json.RawMessage `json:"seq"`
			Command json.RawMessage `json:"command"`
		}
		_ = json.Unmarshal(raw, &part)
		_, _ = json.Unmarshal(part.Seq, &m.Seq), json.Unmarshal(part.Command, &m.Command)
		m.problem = "malformed message: " + err.Error()
		return m
	}
	if m.Type != "request" {
		if m.Type != "response" && m.Type != "event" {
			m.problem = fmt.Sprintf("malformed message: the type %q is not one of request, response, event", m.Type)
		}
		return m
	}
	decoded, err := dap.DecodeProtocolMessage(raw)
	var unknown *dap.DecodeProtocolMessageFieldError
	switch {
	case errors.As(err, &unknown):
		m.problem = fmt.Sprintf("unknown request %q", m.Command)
	case err != nil:
		m.problem = "malformed request: " + err.Error()
	default:
		m.request, _ = decoded.(dap.RequestMessage)
	}
	return m
}

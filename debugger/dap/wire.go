package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/google/go-dap"

	"github.com/redmoon-lua/redmoon/internal/base/framing"
)

// writeTimeout is how long a client may block a write before the connection is closed.
const writeTimeout = 30 * time.Second

// errFraming is returned if the beginning of the next message cannot be found.
var errFraming = errors.New("not the Debug Adapter Protocol")

// format is strict, because a web page can send messages to a port of this machine.
var format = framing.Format{Lost: errFraming, MaxHeader: 4 << 10, MaxMessage: 16 << 20, Strict: true}

// writeMessage writes a message with its header. It returns an error if a client on a network does
// not take it in time.
func writeMessage(w io.Writer, message []byte) error {
	if c, ok := w.(net.Conn); ok {
		_ = c.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	return framing.Write(w, message)
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

package dap

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-dap"
)

// sender numbers and writes the messages of one connection.
type sender struct {
	out    io.Writer
	cancel context.CancelFunc // ends the connection
	seq    int
	broken error // why messages cannot be sent

	deferred []func() // called after the response to the current request
}

// afterResponse calls f after the response to the current request has been sent. f is not called if
// the request is refused.
func (s *sender) afterResponse(f func()) { s.deferred = append(s.deferred, f) }

// respond sends the response to a request, and does what was deferred until then.
func (s *sender) respond(m message, response dap.ResponseMessage) {
	r := response.GetResponse()
	r.Type, r.RequestSeq, r.Command, r.Success = "response", m.Seq, m.Command, true
	s.send(response, &r.Seq)
	for _, f := range s.deferred {
		f()
	}
}

// refuse responds to a request with an error.
func (s *sender) refuse(m message, why string) {
	why = strings.TrimPrefix(why, "debugger: ")
	r := &dap.ErrorResponse{}
	r.Type, r.RequestSeq, r.Command, r.Message = "response", m.Seq, m.Command, why
	// Format is a template in which {name} stands for a variable.
	r.Body.Error = &dap.ErrorMessage{
		Id: 1, Format: "{text}", Variables: map[string]string{"text": why},
		ShowUser: m.Command == "launch" || m.Command == "attach",
	}
	s.send(r, &r.Seq)
}

// event sends an event.
func (s *sender) event(e dap.EventMessage, name string) {
	head := e.GetEvent()
	head.Type, head.Event = "event", name
	s.send(e, &head.Seq)
}

// send numbers and writes a message.
func (s *sender) send(m dap.Message, seq *int) {
	s.seq++
	*seq = s.seq
	b, err := json.Marshal(m)
	if err == nil {
		err = writeMessage(s.out, b)
	}
	if err != nil && s.broken == nil {
		s.broken = fmt.Errorf("dap: writing to a client: %w", err)
		s.cancel()
	}
}

// pass sends a message of the other adapter to the client, with the next sequence number of this
// connection.
func (s *sender) pass(raw []byte) {
	s.seq++
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		s.broken = err
		return
	}
	fields["seq"], _ = json.Marshal(s.seq)
	b, err := json.Marshal(fields)
	if err == nil {
		err = writeMessage(s.out, b)
	}
	s.broken = err
}

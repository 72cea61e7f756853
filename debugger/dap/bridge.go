package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/google/go-dap"

	"github.com/redmoon-lua/redmoon/internal/base/files"
)

// bridge connects the client with the debug adapter at the attribute address. From then on, it only
// forwards messages between them. The script's file is read here, because the client's paths are
// valid here.
func (c *conn) bridge(r *dap.AttachRequest, a *arguments) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.Arguments, &fields); err != nil {
		return err
	}
	delete(fields, "address")
	delete(fields, "addressToken")
	if c.opts.Token != "" {
		delete(fields, "token") // it was for this server
	}
	if a.given["addressToken"] {
		fields["token"], _ = json.Marshal(a.AddressToken)
	}
	if a.Script != "" && !a.given["text"] && a.SHA == "" {
		path := absolutePath(a.Cwd, c.client.fromPath(a.Script))
		text, err := files.ReadRegular(path, maxFile)
		if err != nil {
			return err
		}
		fields["script"], _ = json.Marshal(path)
		fields["text"], _ = json.Marshal(string(text))
	}
	attach := *r
	var err error
	if attach.Arguments, err = json.Marshal(fields); err != nil {
		return err
	}
	far, err := (&net.Dialer{}).DialContext(c.ctx, "tcp", a.Address)
	if err != nil {
		return err
	}
	from := bufio.NewReader(far)
	if err := greet(far, from, c.initialize); err != nil {
		_ = far.Close()
		return fmt.Errorf("%s: %w", a.Address, err)
	}
	request, err := json.Marshal(&attach)
	if err == nil {
		err = writeMessage(far, request)
	}
	if err != nil {
		_ = far.Close()
		return err
	}
	c.disconnected = true
	c.forward(far, from)
	return nil
}

// greet sends the client's initialize request to the other adapter.
func greet(far net.Conn, from *bufio.Reader, initialize []byte) error {
	if err := writeMessage(far, initialize); err != nil {
		return err
	}
	raw, err := format.Read(from)
	if err != nil {
		return fmt.Errorf("no debug adapter responds: %w", err)
	}
	var r dap.Response
	if err := json.Unmarshal(raw, &r); err != nil || r.Command != "initialize" || !r.Success {
		return errors.New("no debug adapter responds")
	}
	return nil
}

// forward copies messages between the client and the other adapter until one of them disconnects.
func (c *conn) forward(far net.Conn, from *bufio.Reader) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer context.AfterFunc(ctx, func() { _ = far.Close() })()
	back := make(chan struct{})
	go func() {
		defer close(back)
		defer cancel()
		for {
			raw, err := format.Read(from)
			if err != nil {
				return
			}
			c.pass(raw)
			if c.broken != nil {
				return
			}
		}
	}()
	for open := true; open; {
		select {
		case m, ok := <-c.messages:
			if open = ok; ok && writeMessage(far, m.raw) != nil {
				open = false
			}
		case <-ctx.Done():
			open = false
		}
	}
	cancel()
	_ = far.Close()
	<-back
}

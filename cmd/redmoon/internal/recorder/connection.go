package recorder

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/recording/dialogue"
)

// connection is a client and its connection to the server.
type connection struct {
	r      *Recorder
	id     int64
	client net.Conn

	mu     sync.Mutex
	server net.Conn // nil: not connected
	why    string   // who has ended the connection first
	over   bool     // cut has been called
}

// serve passes bytes until both sides have ended.
func (c *connection) serve() {
	r := c.r
	r.w.Open(c.id, c.client.RemoteAddr().String())
	r.count.open()
	defer r.count.close()
	server, _, err := backend.Dial(r.stopping, r.o.Target, r.o.TLS)
	if err != nil {
		_ = c.client.Close()
		if r.stopping.Err() == nil {
			r.o.Log("connecting to the server: " + err.Error())
		}
		r.w.Close(c.id, recording.NoServer)
		return
	}
	c.mu.Lock()
	c.server = server
	over := c.over
	c.mu.Unlock()
	if over {
		_ = server.Close()
	}
	s := &sink{Writer: r.w, conn: c.id, count: &r.count}
	d := dialogue.New(s, dialogue.Options{MaxReply: r.o.MaxReply})
	var both sync.WaitGroup
	both.Go(func() { c.toServer(d) })
	both.Go(func() { c.toClient(d) })
	both.Wait()
	d.End()
	r.count.unanswered(d.Waiting())
	r.w.Close(c.id, c.why)
}

// ended notes who has ended the connection, if nobody has before.
func (c *connection) ended(by string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == "" {
		c.why = by
	}
}

// cut closes both sides, because the recorder ends.
func (c *connection) cut() {
	c.ended(recording.ByRecorder)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	_ = c.client.Close()
	if c.server != nil {
		_ = c.server.Close()
	}
}

// bufferSize is the number of bytes that are read in one go.
const bufferSize = 32 << 10

// toServer passes on what the client sends. When the client is gone, the server learns that there
// is no more to come.
func (c *connection) toServer(d *dialogue.Dialogue) {
	buf := make([]byte, bufferSize)
	for {
		n, err := c.client.Read(buf)
		if n > 0 {
			d.Client(buf[:n]) // before the server can run it
			if _, werr := c.server.Write(buf[:n]); werr != nil {
				c.ended(recording.ByServer)
				_ = c.client.Close()
				return
			}
		}
		if err != nil {
			c.ended(recording.ByClient)
			if !errors.Is(err, io.EOF) {
				_ = c.client.Close() // it gets no replies any more
			}
			_ = c.server.SetReadDeadline(time.Now().Add(hangUpAfter))
			if half, ok := c.server.(interface{ CloseWrite() error }); !ok ||
				half.CloseWrite() != nil {
				_ = c.server.Close()
			}
			return
		}
	}
}

// toClient passes on what the server sends. It goes on when the client is gone, because the replies
// show what has run.
func (c *connection) toClient(d *dialogue.Dialogue) {
	defer func() {
		_ = c.server.Close()
		_ = c.client.Close()
	}()
	buf := make([]byte, bufferSize)
	gone := false
	for {
		n, err := c.server.Read(buf)
		if n > 0 {
			d.Server(buf[:n])
			if !gone {
				_, werr := c.client.Write(buf[:n])
				gone = werr != nil
			}
		}
		if err != nil {
			c.ended(recording.ByServer)
			return
		}
	}
}

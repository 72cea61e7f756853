package backend

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// wire is a connection to a Redis server. Only one goroutine may use it at a time.
type wire struct {
	nc  net.Conn
	dec *resp.Decoder
}

func dial(ctx context.Context, to address) (*wire, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, to.network, to.addr)
	if err != nil {
		return nil, err
	}
	if to.tls != nil {
		encrypted := tls.Client(nc, to.tls)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			_ = nc.Close()
			return nil, err
		}
		nc = encrypted
	}
	return &wire{nc: nc, dec: resp.NewDecoder(nc)}, nil
}

func (w *wire) close() { _ = w.nc.Close() }

// call sends a command and waits for its reply. The connection cannot be used after an error.
func (w *wire) call(ctx context.Context, args []string) (engine.Value, error) {
	stop := context.AfterFunc(ctx, func() { _ = w.nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := w.nc.Write(resp.AppendCommand(nil, args...)); err != nil {
		return engine.Value{}, err
	}
	for {
		v, err := w.dec.Decode()
		if err != nil || v.Kind() != engine.KindPush { // ignore invalidation messages
			return v, err
		}
	}
}

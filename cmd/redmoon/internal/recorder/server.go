package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/clone"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// askTimeout is how long the questions at the start may take.
const askTimeout = 10 * time.Second

// describe asks the server about itself. It is not an error if the server does not answer: then
// fields of the header are missing.
func describe(ctx context.Context, o *Options) (recording.Header, error) {
	var h recording.Header
	var err error
	if h.Target, err = backend.Name(o.Target); err != nil {
		return h, err
	}
	nc, login, err := backend.Dial(ctx, o.Target, o.TLS)
	if err != nil {
		return h, fmt.Errorf("connecting to %s: %w", h.Target, err)
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { _ = nc.Close() })()
	if err := nc.SetDeadline(time.Now().Add(askTimeout)); err != nil {
		return h, err
	}
	q := &questions{nc: nc, dec: resp.NewDecoder(nc)}
	if auth := login.Command(); auth != nil {
		if v, err := q.ask(auth...); err != nil || v.IsError() {
			return h, fmt.Errorf("logging in to %s: %w", h.Target, errors.Join(err, v.Err()))
		}
	}
	for _, f := range []func(*recording.Header) error{q.version, q.clock, q.config} {
		if err := f(&h); err != nil {
			if ctx.Err() != nil {
				return h, ctx.Err()
			}
			o.Log(
				fmt.Sprintf(
					"the server does not say all about itself (%v); a replay may differ more",
					err,
				),
			)
			break
		}
	}
	return h, nil
}

// questions is a connection to the server for questions.
type questions struct {
	nc  net.Conn
	dec *resp.Decoder
}

func (q *questions) ask(args ...string) (reply.Value, error) {
	if _, err := q.nc.Write(resp.AppendCommand(nil, args...)); err != nil {
		return reply.Value{}, err
	}
	return q.dec.Decode()
}

// version reads the version and the mode from INFO.
func (q *questions) version(h *recording.Header) error {
	v, err := q.ask("INFO", "server")
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return fmt.Errorf("INFO: %w", err)
	}
	for _, line := range strings.Split(v.Text(), "\r\n") {
		switch name, value, _ := strings.Cut(line, ":"); name {
		case "redis_version":
			h.Server = value
		case "redis_mode":
			h.Cluster = value == "cluster"
		}
	}
	return nil
}

// clockQuestions is how often the clock is asked; the fastest answer counts.
const clockQuestions = 7

// clock compares the server's clock with ours.
func (q *questions) clock(h *recording.Header) error {
	best := time.Duration(-1)
	for range clockQuestions {
		before := time.Now()
		v, err := q.ask("TIME")
		took := time.Since(before)
		if err == nil {
			err = v.Err()
		}
		if err != nil {
			return fmt.Errorf("TIME: %w", err)
		}
		parts := v.Strings()
		if len(parts) != 2 {
			return errors.New("TIME: the reply is not a time")
		}
		seconds, err1 := strconv.ParseInt(parts[0], 10, 64)
		micros, err2 := strconv.ParseInt(parts[1], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("TIME: %w", err)
		}
		if best < 0 || took < best {
			best = took
			h.ClockAhead = time.Unix(seconds, micros*1000).Sub(before.Add(took / 2)).Microseconds()
			h.ClockError = (took / 2).Microseconds() + 1
		}
	}
	return nil
}

// config reads the parameters that decide replies.
func (q *questions) config(h *recording.Header) error {
	h.Config = map[string]string{}
	for _, pattern := range recording.ConfigPatterns() {
		v, err := q.ask("CONFIG", "GET", pattern)
		if err == nil {
			err = v.Err()
		}
		if err != nil {
			return fmt.Errorf("CONFIG GET: %w", err)
		}
		pairs := v.Strings()
		for i := 0; i+1 < len(pairs); i += 2 {
			if recording.Decides(pairs[i]) {
				h.Config[pairs[i]] = pairs[i+1]
			}
		}
	}
	return nil
}

// DataPath returns the path of the file with the keys of a recording: its name with .rdb.
func DataPath(path string) string {
	path = strings.TrimSuffix(path, ".gz")
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".rdb"
}

// copyData copies the keys of the server into a file beside the recording.
func copyData(ctx context.Context, o *Options) (*recording.Data, error) {
	path := DataPath(o.Path)
	res, err := clone.Run(ctx, clone.Options{
		Address: o.Target, TLS: o.TLS, Path: path, Force: o.Force, Match: o.Match, Scan: o.Scan, Progress: o.Progress,
		Now: time.Now, Private: true,
	})
	if err != nil {
		return nil, err
	}
	if res.Refusal != "" {
		o.Log(
			fmt.Sprintf(
				"the server gives no copy (%s); its keys were read one by one",
				res.Refusal,
			),
		)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	return &recording.Data{
		File:   filepath.Base(path),
		Keys:   res.Keys,
		SHA256: hex.EncodeToString(sum.Sum(nil)),
		Match:  o.Match,
	}, nil
}

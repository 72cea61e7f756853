package engine

import (
	"context"
	"errors"
)

// Subscribe lets the session receive what is published to channels: see [Session.Messages]. Unlike a connection in RESP2, a subscribed
// session may run all commands.
func (s *Session) Subscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SUBSCRIBE", channels)
}

// PSubscribe lets the session receive what is published to channels whose names match patterns. A message comes once for each
// subscription that it matches.
func (s *Session) PSubscribe(ctx context.Context, patterns ...string) error {
	return s.named(ctx, "PSUBSCRIBE", patterns)
}

// SSubscribe lets the session receive what SPUBLISH sends to channels of a shard.
func (s *Session) SSubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SSUBSCRIBE", channels)
}

// Unsubscribe ends subscriptions to channels; without names, all of them. What has been published before may still come.
func (s *Session) Unsubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "UNSUBSCRIBE", channels)
}

// PUnsubscribe ends subscriptions to patterns; without names, all of them.
func (s *Session) PUnsubscribe(ctx context.Context, patterns ...string) error {
	return s.named(ctx, "PUNSUBSCRIBE", patterns)
}

// SUnsubscribe ends subscriptions to channels of a shard; without names, all of them.
func (s *Session) SUnsubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SUNSUBSCRIBE", channels)
}

func (s *Session) named(ctx context.Context, command string, names []string) error {
	_, err := s.DoStrings(ctx, append([]string{command}, names...)...)
	return err
}

// Messages is where the session gets what it is sent without having asked just then: messages of its subscriptions, keys to
// invalidate (CLIENT TRACKING; no HELLO 3 is needed), lines of MONITOR, all in the order in which the engine made them. Replies never come
// this way. It is always the same channel; it is closed when the session has ended, and [Session.Err] then tells why.
//
// The engine does not wait for who reads it. What nobody has taken is kept; when its bytes pass client-output-buffer-limit (32 MiB
// for subscribers, if nothing else is configured) the session is ended, as Redis ends a connection.
//
// The channel of a session that was opened with a Receive of its own is nil.
func (s *Session) Messages() <-chan Message {
	if s.in == nil {
		return nil
	}
	return s.in.out
}

// Err tells why the session has ended: [ErrSessionClosed] after Close and QUIT, [ErrSlowReceiver], [ErrSessionKilled], or [ErrClosed] when
// the engine was closed. It is nil before.
func (s *Session) Err() error {
	if s.in == nil {
		return nil
	}
	return s.in.why()
}

// reason is the error of a call, where the session has ended the reason for that.
func (s *Session) reason(err error) error {
	if err != nil && s.in != nil && errors.Is(err, ErrSessionClosed) {
		if why := s.in.why(); why != nil {
			return why
		}
	}
	return err
}

package miniredis

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
)

// PubsubMessage is a message to a channel that a [Subscriber] follows.
type PubsubMessage struct {
	Channel string
	Message string
}

// PubsubPmessage is a message to a channel whose name matches a pattern of a [Subscriber].
type PubsubPmessage struct {
	Pattern string
	Channel string
	Message string
}

// Publish sends a message to the subscribers of a channel and returns how many times it was sent.
func (m *Miniredis) Publish(channel, message string) int {
	return get(&RedisDB{m, 0}, func(t tx) int { return int(t.do("PUBLISH", channel, message).MustInt()) })
}

// PubSubChannels returns the channels that have subscribers and match the pattern, sorted. "" is
// every channel.
func (m *Miniredis) PubSubChannels(pattern string) []string {
	if pattern == "" {
		pattern = "*"
	}
	channels := get(&RedisDB{m, 0}, func(t tx) []string { return t.do("PUBSUB", "CHANNELS", pattern).Strings() })
	slices.Sort(channels)
	return channels
}

// PubSubNumSub returns the number of subscribers of channels.
func (m *Miniredis) PubSubNumSub(channels ...string) map[string]int {
	return get(&RedisDB{m, 0}, func(t tx) map[string]int {
		counts := map[string]int{}
		list := t.do(append([]string{"PUBSUB", "NUMSUB"}, channels...)...).Slice()
		for i := 0; i+1 < len(list); i += 2 {
			counts[list[i].Text()] = int(list[i+1].MustInt())
		}
		return counts
	})
}

// PubSubNumPat returns the number of different patterns that have subscribers.
func (m *Miniredis) PubSubNumPat() int {
	return get(&RedisDB{m, 0}, func(t tx) int { return int(t.do("PUBSUB", "NUMPAT").MustInt()) })
}

// Subscriber receives messages. It receives nothing while the server is closed. Publishers do not
// wait for it.
type Subscriber struct {
	m         *Miniredis
	messages  chan PubsubMessage
	pmessages chan PubsubPmessage

	mu       sync.Mutex
	channels map[string]struct{}
	patterns map[string]struct{}
	session  *engine.Session // nil: the server is closed
	closed   bool
	stop     chan struct{} // closed to end the goroutine that receives
	ended    chan struct{} // closed when it has ended
}

// NewSubscriber returns a subscriber without subscriptions. Close it when it is no longer needed.
func (m *Miniredis) NewSubscriber() *Subscriber {
	s := &Subscriber{m: m, messages: make(chan PubsubMessage), pmessages: make(chan PubsubPmessage),
		channels: map[string]struct{}{}, patterns: map[string]struct{}{}}
	m.tested.Lock()
	defer m.tested.Unlock()
	m.subscribers[s] = struct{}{}
	if m.resp != nil {
		m.power.use(s.attach)
	}
	return s
}

func (m *Miniredis) allSubscribers() []*Subscriber {
	m.tested.Lock()
	defer m.tested.Unlock()
	return slices.Collect(maps.Keys(m.subscribers))
}

// attach subscribes at an engine that has started.
func (s *Subscriber) attach(e *engine.Engine) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, err := e.NewSession()
	if err != nil {
		return err
	}
	for c := range s.channels {
		err = errors.Join(err, sess.Subscribe(context.Background(), c))
	}
	for p := range s.patterns {
		err = errors.Join(err, sess.PSubscribe(context.Background(), p))
	}
	if err != nil {
		return err
	}
	s.session, s.stop, s.ended = sess, make(chan struct{}), make(chan struct{})
	go s.receive(sess.Messages(), s.stop, s.ended)
	return nil
}

// receive passes messages on until the session ends or stop is closed.
func (s *Subscriber) receive(from <-chan engine.Message, stop, ended chan struct{}) {
	defer close(ended)
	for msg := range from {
		if msg.Kind == "pmessage" {
			select {
			case s.pmessages <- PubsubPmessage{msg.Pattern, msg.Channel, msg.Payload}:
			case <-stop:
				return
			}
			continue
		}
		select {
		case s.messages <- PubsubMessage{msg.Channel, msg.Payload}:
		case <-stop:
			return
		}
	}
}

// detach ends the session at an engine that is about to stop.
func (s *Subscriber) detach() {
	s.mu.Lock()
	sess, stop, ended := s.session, s.stop, s.ended
	s.session = nil
	s.mu.Unlock()
	if sess == nil {
		return
	}
	close(stop)
	_ = sess.Close()
	<-ended
}

// Close ends all subscriptions and closes the channels of the subscriber.
func (s *Subscriber) Close() {
	s.m.tested.Lock()
	delete(s.m.subscribers, s)
	s.m.tested.Unlock()
	s.detach()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.messages)
		close(s.pmessages)
	}
}

// Messages returns the channel that delivers the messages of [Subscriber.Subscribe].
func (s *Subscriber) Messages() <-chan PubsubMessage { return s.messages }

// Pmessages returns the channel that delivers the messages of [Subscriber.Psubscribe].
func (s *Subscriber) Pmessages() <-chan PubsubPmessage { return s.pmessages }

// Subscribe subscribes to a channel and returns the number of subscriptions.
func (s *Subscriber) Subscribe(c string) int {
	return s.change(func() { s.channels[c] = struct{}{} }, (*engine.Session).Subscribe, c)
}

// Unsubscribe ends a subscription to a channel and returns the number of subscriptions.
func (s *Subscriber) Unsubscribe(c string) int {
	return s.change(func() { delete(s.channels, c) }, (*engine.Session).Unsubscribe, c)
}

// Psubscribe subscribes to a pattern and returns the number of subscriptions.
func (s *Subscriber) Psubscribe(pat string) int {
	return s.change(func() { s.patterns[pat] = struct{}{} }, (*engine.Session).PSubscribe, pat)
}

// Punsubscribe ends a subscription to a pattern and returns the number of subscriptions.
func (s *Subscriber) Punsubscribe(pat string) int {
	return s.change(func() { delete(s.patterns, pat) }, (*engine.Session).PUnsubscribe, pat)
}

// change changes the subscriptions, also at the engine if it runs.
func (s *Subscriber) change(here func(), there func(*engine.Session, context.Context, ...string) error, name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	here()
	if s.session != nil {
		_ = there(s.session, context.Background(), name) // the engine may have stopped
	}
	return len(s.channels) + len(s.patterns)
}

// Count returns the number of subscriptions to channels and patterns.
func (s *Subscriber) Count() int { return s.change(func() {}, none, "") }

func none(*engine.Session, context.Context, ...string) error { return nil }

// Channels returns the channels, sorted.
func (s *Subscriber) Channels() []string { return s.names(s.channels) }

// Patterns returns the patterns, sorted.
func (s *Subscriber) Patterns() []string { return s.names(s.patterns) }

func (s *Subscriber) names(of map[string]struct{}) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(of))
}

// Publish sends a message to this subscriber only, waits until it has been received, and returns
// how many times it was sent: for the channel, and for a pattern that it matches.
func (s *Subscriber) Publish(c, msg string) (sent int) {
	s.mu.Lock()
	_, follows := s.channels[c]
	pattern, matches := "", false
	for p := range s.patterns {
		if engine.MatchGlob(p, c) {
			pattern, matches = p, true
			break
		}
	}
	s.mu.Unlock()
	if follows {
		s.messages <- PubsubMessage{c, msg}
		sent++
	}
	if matches {
		s.pmessages <- PubsubPmessage{pattern, c, msg}
		sent++
	}
	return sent
}

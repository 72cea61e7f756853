package server

import "unsafe"

// ConnUse is the memory that a connection holds for its session, and its traffic, in bytes.
type ConnUse struct {
	Query   int64 // input that has been read but not run
	Room    int64 // the input buffers, with their contents
	Args    int64 // arguments of an incomplete request
	ArgN    int64 // number of these arguments
	Output  int64 // the buffer for replies
	Peak    int64 // the most that Output has held
	Waiting int64 // output that the peer has not read

	Received, Sent int64 // all that it has read and sent
}

// Sizes for reporting unread output as Redis would hold it: first in the reply buffer, then in a
// list of blocks.
const (
	replyBuffer    = 16 << 10
	replyBlock     = 20464 // bytes of one block
	replyBlockHead = 40    // overhead of one block
)

// inBlocks divides unread output into the part in the reply buffer and the part in blocks.
func inBlocks(waiting int64) (buffer, blocks, bytes int64) {
	buffer = min(waiting, replyBuffer)
	if rest := waiting - buffer; rest > 0 {
		blocks = (rest + replyBlock - 1) / replyBlock
		bytes = rest + blocks*replyBlockHead
	}
	return buffer, blocks, bytes
}

// pointer is what Redis counts for an argument besides its bytes.
const pointer = int64(unsafe.Sizeof(uintptr(0)))

// argBytes returns the sum of the lengths of the arguments.
func argBytes(args []string) (n int64) {
	for _, a := range args {
		n += int64(len(a))
	}
	return n
}

// use returns what the session's transport holds.
func (c *connection) use() ConnUse {
	if c.Use == nil {
		return ConnUse{}
	}
	return c.Use()
}

// arguments returns the arguments of the command that the session runs or is blocked in, else nil.
func (g *gate) arguments(sess *Session) []string {
	switch {
	case sess.Waiting != nil:
		return sess.Waiting.Args
	case g.level > 0 && g.levels[0].Session == sess:
		return g.levels[0].Args
	}
	return nil
}

// memoryOf returns the number of bytes that a session takes. u is the part that its transport
// holds.
func (s *Server) memoryOf(sess *Session, u *ConnUse) int64 {
	const topicEntry, watchEntry = 48, int64(unsafe.Sizeof(WatchKey{})) + 32
	args := s.arguments(sess)
	_, _, waiting := inBlocks(u.Waiting)
	n := int64(unsafe.Sizeof(*sess)) + u.Room + u.Output + waiting + u.Args + pointer*u.ArgN + argBytes(args) + pointer*int64(len(args))
	n += s.queuedBytes(sess) + int64(cap(sess.Queue))*int64(unsafe.Sizeof(sess.Queue))
	n += int64(len(sess.Watching)) * watchEntry
	n += int64(sess.subscribed) * topicEntry
	if sess.Track != nil {
		n += int64(len(sess.Track.Prefixes)) * topicEntry
	}
	return n
}

// queuedBytes returns the memory of the session's transaction queue, as Redis counts it.
func (g *gate) queuedBytes(sess *Session) int64 {
	if sess.InExec {
		return g.ExecBytes
	}
	return sess.QueueBytes
}

// describeMemory writes the memory fields of a session's line in CLIENT LIST.
func (s *Server) describeMemory(field func(string, any), sess *Session, u *ConnUse) {
	obl, oll, omem := inBlocks(u.Waiting)
	field("qbuf", u.Query)
	field("qbuf-free", max(0, u.Room-u.Query))
	field("argv-mem", u.Args+argBytes(s.arguments(sess)))
	field("multi-mem", s.queuedBytes(sess))
	field("rbs", u.Output)
	field("rbp", u.Peak)
	field("obl", obl)
	field("oll", oll)
	field("omem", omem)
	field("tot-mem", s.memoryOf(sess, u))
}

// sessionsMemory returns the memory of all sessions, and the largest input and output of one
// session.
func (s *Server) sessionsMemory() (all, input, output int64) {
	for _, sess := range s.Clients.ByID {
		u := sess.use()
		_, _, waiting := inBlocks(u.Waiting)
		all += s.memoryOf(sess, &u)
		input, output = max(input, u.Room+u.Args+argBytes(s.arguments(sess))), max(output, waiting)
	}
	return all, input, output
}

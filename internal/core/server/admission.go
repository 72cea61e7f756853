package server

// errProtected is the error that a client from another machine gets before Redis closes its
// connection.
const errProtected = "DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the " +
	"default user. In this mode connections are only accepted from the loopback interface. If you want to connect from external " +
	"computers to Redis you may adopt one of the following solutions: 1) Just disable protected mode sending the command 'CONFIG SET " +
	"protected-mode no' from the loopback interface by connecting to Redis from the same host the server is running, however MAKE SURE " +
	"Redis is not publicly accessible from internet if you do so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively " +
	"you can just disable the protected mode by editing the Redis configuration file, and setting the protected mode option to 'no', " +
	"and then restarting the server. 3) If you started the server manually just for testing, restart it with the '--protected-mode no' " +
	"option. 4) Setup a an authentication password for the default user. NOTE: You only need to do one of the above things in order for " +
	"the server to start accepting connections from the outside."

// RefuseConnection returns the error reply for a new connection that must not be served, or "".
// remote is true for a client on another machine. Refused connections are counted.
func (s Control) RefuseConnection(remote bool) string {
	if !remote || !s.Access.NeedsNoPassword() || s.Config.Value("protected-mode") != "yes" {
		return ""
	}
	s.Stats.Connections++
	s.Rejected.Add(1)
	return errProtected
}

// hangUpIdle closes the connections that have been idle for longer than the parameter timeout.
// Sessions that are blocked, subscribed or in MONITOR, replicas and the master stay. It reports
// whether it must be called again.
func (s *Server) hangUpIdle() (again bool) {
	limit := s.Config.ConnLimits().IdleTimeout
	if limit == 0 {
		return false
	}
	now := s.Store.Now()
	for _, sess := range s.Clients.ByID {
		if sess.Activity != nil {
			if n := sess.Activity(); n != sess.activity {
				sess.activity, sess.heard = n, now
			}
		}
		exempt := sess.Activity == nil || sess.Waiting != nil || sess.subscribed > 0 || sess.Monitors || sess.CloseAfter ||
			sess.Peer != PeerClient
		if !exempt && now/1000-max(sess.heard, sess.Active)/1000 > limit {
			s.HangUp(sess, nil)
		}
	}
	return true
}

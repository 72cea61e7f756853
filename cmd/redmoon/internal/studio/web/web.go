package web

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/studio/site"
)

// maxPages is the number of pages that have a session of their own. When there are more, the
// session ends whose page has not asked for the longest time. A page that is loaded again is a new
// one.
const maxPages = 8

// maxName is the number of bytes of the name of a page.
const maxName = 64

// Listen listens on an address, which must be a loopback one.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s is not an address of this machine only: use 127.0.0.1, [::1] or localhost", addr)
	}
	return net.Listen("tcp", addr)
}

// Server answers the requests of pages.
type Server struct {
	o     studio.Options
	addr  string // host:port
	token string
	index []byte
	files http.Handler

	mu     sync.Mutex
	codes  map[string]bool // of addresses of OnceURL that have not been used
	pages  map[string]*studio.Session
	used   []string // names of pages, the one that asked last at the end
	closed bool
}

// NewServer returns the server for a listener's address, with a new token.
func NewServer(addr net.Addr, o studio.Options) (*Server, error) {
	index, err := fs.ReadFile(site.Files(), "index.html")
	if err != nil {
		return nil, err
	}
	index = bytes.Replace(index, []byte(site.EngineOfPage), []byte(`data-engine="server"`), 1)
	return &Server{
		o: o, addr: addr.String(), token: rand.Text(), index: index, files: http.FileServerFS(site.Files()),
		codes: map[string]bool{}, pages: map[string]*studio.Session{},
	}, nil
}

// URL returns the address of the page, with the token.
func (s *Server) URL() string { return "http://" + s.addr + "/?token=" + s.token }

// OnceURL returns an address that leads to the page once. It is for the command line of a browser,
// which other users of the machine can read.
func (s *Server) OnceURL() string {
	code := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[code] = true
	return "http://" + s.addr + "/open?code=" + code
}

// open leads to the page if the code has not been used.
func (s *Server) open(w http.ResponseWriter, r *http.Request) {
	code := r.URL.Query().Get("code")
	s.mu.Lock()
	known := s.codes[code]
	delete(s.codes, code)
	s.mu.Unlock()
	if !known {
		http.Error(w, "this address has been used: open the one that redmoon studio has printed", http.StatusForbidden)
		return
	}
	http.Redirect(w, r, "/?token="+s.token, http.StatusSeeOther)
}

// Close ends all sessions.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	var all []*studio.Session
	for _, page := range s.pages {
		all = append(all, page)
	}
	s.pages = nil
	s.mu.Unlock()
	for _, page := range all {
		page.Close()
	}
}

// policy is the Content-Security-Policy. The editor makes style elements.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !s.isOurs(r.Host) {
		http.Error(w, "wrong host", http.StatusForbidden)
		return
	}
	switch {
	case r.URL.Path == "/api":
		s.api(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.index)
	case r.URL.Path == "/open" && r.Method == http.MethodGet:
		s.open(w, r)
	default:
		s.files.ServeHTTP(w, r)
	}
}

// isOurs reports whether a Host header names this server.
func (s *Server) isOurs(host string) bool {
	_, port, err := net.SplitHostPort(s.addr)
	if port == "80" {
		host += ":80" // browsers leave it out
	}
	return host == s.addr || err == nil && host == "localhost:"+port
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	refuse := func(code int, why string) { http.Error(w, why, code) }
	if r.Method != http.MethodPost {
		refuse(http.StatusMethodNotAllowed, "method not allowed")
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		host, ok := strings.CutPrefix(origin, "http://")
		if !ok || !s.isOurs(host) {
			refuse(http.StatusForbidden, "wrong origin")
			return
		}
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Studio-Token")), []byte(s.token)) != 1 {
		refuse(http.StatusForbidden, "wrong token: open the address that redmoon studio has printed")
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(http.StatusUnsupportedMediaType, "the request is not JSON")
		return
	}
	page := s.page(r.Header.Get("X-Studio-Page"))
	if page == nil {
		refuse(http.StatusBadRequest, "the page has no name")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, studio.MaxRequest))
	if err != nil {
		refuse(http.StatusRequestEntityTooLarge, "the request is too long")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(page.Handle(r.Context(), body))
}

// page returns the session of a page, or nil.
func (s *Server) page(name string) *studio.Session {
	if name == "" || len(name) > maxName {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.used = append(slices.DeleteFunc(s.used, func(n string) bool { return n == name }), name)
	if page := s.pages[name]; page != nil {
		return page
	}
	if len(s.used) > maxPages {
		oldest := s.used[0]
		go s.pages[oldest].Close()
		delete(s.pages, oldest)
		s.used = s.used[1:]
	}
	s.pages[name] = studio.New(s.o)
	return s.pages[name]
}

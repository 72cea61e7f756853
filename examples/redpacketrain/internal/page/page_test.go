package page_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
)

// event is what a browser gets.
type event struct {
	State  page.State
	Points []struct{ T, Rate float64 }
	Reset  bool
}

// stream is one connection to the events.
type stream struct {
	t testing.TB
	r *bufio.Reader
}

func listen(t testing.TB, url string) *stream {
	resp, err := http.Get(url + "/events")
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	return &stream{t, bufio.NewReader(resp.Body)}
}

func (s *stream) next() (e event) {
	s.t.Helper()
	for {
		line, err := s.r.ReadString('\n')
		require.NoError(s.t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			require.NoError(s.t, json.Unmarshal([]byte(data), &e))
			return e
		}
	}
}

func serve(t testing.TB, p *page.Page) *httptest.Server {
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func at(seconds float64) page.State {
	return page.State{Stage: page.Grab, Elapsed: seconds, Rate: 10 * seconds, Packets: 100, Total: 10000}
}

func TestABrowserGetsWhatItHasNotSeen(t *testing.T) {
	p := page.New()
	s := serve(t, p)
	p.Publish(at(1))
	first := listen(t, s.URL)
	e := first.next()
	require.True(t, e.Reset)
	require.Len(t, e.Points, 1)
	require.Equal(t, at(1), e.State)

	p.Publish(at(2))
	e = first.next()
	require.False(t, e.Reset)
	require.Len(t, e.Points, 1)
	require.Equal(t, 20.0, e.Points[0].Rate)

	again := listen(t, s.URL).next() // as after a lost connection
	require.True(t, again.Reset)
	require.Len(t, again.Points, 2)

	done := page.State{Stage: page.Done, OK: true, Findings: []page.Finding{{Name: "n", OK: true, Detail: "d"}}}
	p.Publish(done)
	e = first.next()
	require.Equal(t, done, e.State)
	require.Empty(t, e.Points, "the charts end with the run")
}

func TestALongRunIsThinnedOut(t *testing.T) {
	p := page.New()
	s := serve(t, p)
	p.Publish(at(0))
	watching := listen(t, s.URL)
	shown := len(watching.next().Points)
	for i := 1; i <= 5000; i++ {
		p.Publish(at(float64(i)))
	}
	for last := 0.0; last < 5000; {
		e := watching.next()
		if e.Reset {
			shown = 0
		}
		shown += len(e.Points)
		last = e.State.Elapsed
	}
	points := listen(t, s.URL).next().Points
	require.Equal(t, len(points), shown, "who watched all along has the same points")
	require.Greater(t, len(points), 300)
	require.LessOrEqual(t, len(points), 600)
	require.Zero(t, points[0].T)
	for i := 1; i < len(points); i++ {
		require.Greater(t, points[i].T, points[i-1].T)
	}
}

func TestNothingElseIsServedOrLoaded(t *testing.T) {
	s := serve(t, page.New())
	for path, want := range map[string]int{"/": 200, "/page.js": 200, "/style.css": 200, "/page.go": 404, "/../page.go": 404} {
		resp, err := http.Get(s.URL + path)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, want, resp.StatusCode, path)
		require.NotContains(t, string(body), "//cdn")
		require.Contains(t, resp.Header.Get("Content-Security-Policy"), "default-src 'self'")
	}
}

func TestOtherHostsAreRefused(t *testing.T) {
	s := serve(t, page.New())
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	for host, want := range map[string]int{
		"127.0.0.1:" + port: http.StatusOK, "localhost:" + port: http.StatusOK, "[::1]:" + port: http.StatusOK, "localhost": http.StatusOK,
		"evil.example:" + port: http.StatusForbidden, "evil.example": http.StatusForbidden, "192.0.2.1:" + port: http.StatusForbidden,
	} {
		r, err := http.NewRequest(http.MethodGet, s.URL+"/", nil)
		require.NoError(t, err)
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, want, answer.StatusCode, host)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

func get(t *testing.T, url string) (body, contentType string) {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	return string(text), resp.Header.Get("Content-Type")
}

func TestServeHasMetrics(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	var log bytes.Buffer
	std := &streams{in: strings.NewReader(""), out: w, err: &log, interruptible: ctx}
	code := make(chan int, 1)
	go func() {
		code <- std.main([]string{"serve", "--config", "save=", "--addr", "127.0.0.1:0", "--metrics", ":0"})
		_ = w.Close()
	}()
	var url, addr string
	for lines := bufio.NewScanner(r); url == "" || addr == ""; {
		require.True(t, lines.Scan())
		if _, after, ok := strings.Cut(lines.Text(), "metrics on "); ok {
			url = after
		} else if _, after, ok := strings.Cut(lines.Text(), "listening on "); ok {
			addr = after
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	require.True(t, strings.HasPrefix(url, "http://127.0.0.1:"), url)
	require.Equal(t, "PONG", ask(t, "tcp", addr, "PING"))
	require.Equal(t, "1", ask(t, "tcp", addr, "EVAL", "return '1'", "0"))

	body, contentType := get(t, url)
	require.Equal(t, metrics.ContentType, contentType)
	require.Contains(t, body, "redmoon_up 1\n")
	require.Contains(t, body, `redmoon_commands_total{command="ping"} 1`+"\n")
	require.Contains(t, body, `redmoon_script_runs_total{script="`)
	body, _ = get(t, strings.TrimSuffix(url, "/metrics")+"/debug/vars")
	var vars map[string]any
	require.NoError(t, json.Unmarshal([]byte(body), &vars))
	require.EqualValues(t, 1, vars["redmoon_up"])

	cancel()
	require.Zero(t, <-code)
	require.Contains(t, log.String(), "metrics on "+url)
	_, err := http.Get(url)
	require.Error(t, err, "it stops with the server")
}

func TestAddressOfMetrics(t *testing.T) {
	for _, addr := range []string{"0", ":0", "127.0.0.1:0", "localhost:0"} {
		l, err := listenMetrics(addr)
		require.NoError(t, err, addr)
		require.True(t, strings.HasPrefix(l.Addr().String(), "127.0.0.1:") || strings.HasPrefix(l.Addr().String(), "[::1]:"), addr)
		require.NoError(t, l.Close())
	}
	for _, addr := range []string{"127.0.0.1", "x:y:z", ":nosuch"} {
		_, err := listenMetrics(addr)
		require.ErrorContains(t, err, "--metrics: ", addr)
	}
}

func TestScrapesAtOnceAreBounded(t *testing.T) {
	inside, goOn := make(chan struct{}), make(chan struct{})
	h := atMost(2, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside <- struct{}{}
		<-goOn
	}))
	scrape := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return w.Code
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { assert.Equal(t, http.StatusOK, scrape()) })
		<-inside
	}
	require.Equal(t, http.StatusServiceUnavailable, scrape())
	close(goOn)
	wg.Wait()
	go func() { <-inside }()
	require.Equal(t, http.StatusOK, scrape(), "the places are free again")
}

// A page of the web cannot read the metrics of this machine under a name of its own.
func TestMetricsAreForThisMachine(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	at := func(ip string) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 9000} }
	for _, c := range []struct {
		listener *net.TCPAddr
		host     string
		code     int
	}{
		{at("127.0.0.1"), "127.0.0.1:9000", http.StatusNoContent},
		{at("127.0.0.1"), "localhost:9000", http.StatusNoContent},
		{at("127.0.0.1"), "localhost", http.StatusNoContent},
		{at("::1"), "[::1]:9000", http.StatusNoContent},
		{at("::1"), "[::1]", http.StatusNoContent},
		{at("127.0.0.1"), "evil.example:9000", http.StatusForbidden},
		{at("127.0.0.1"), "192.0.2.1:9000", http.StatusForbidden},
		{at("127.0.0.1"), "", http.StatusForbidden},
		{at("192.0.2.1"), "redmoon.internal:9000", http.StatusNoContent},
		{at("0.0.0.0"), "redmoon.internal:9000", http.StatusNoContent},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		local(c.listener, answers).ServeHTTP(w, r)
		require.Equal(t, c.code, w.Code, "%v, %q", c.listener, c.host)
	}
}

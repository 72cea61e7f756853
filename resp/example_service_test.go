package resp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// serve is a service on an engine, with a port for redis-cli. It ends when ctx does: what takes
// requests first, the engine last.
func serve(ctx context.Context, web, redis net.Listener) error {
	e, err := engine.New(engine.Options{}) // with Persistence the data stays
	if err != nil {
		return err
	}
	visits := http.NewServeMux()
	visits.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		v, err := e.Do(r.Context(), "INCR", "visits")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "visit %s", v.Text())
	})
	pages := &http.Server{Handler: visits}
	clients := resp.NewServer(e, resp.Options{})
	failed := make(chan error, 2)
	go func() { failed <- pages.Serve(web) }()
	go func() { failed <- clients.Serve(redis) }()

	select {
	case <-ctx.Done():
	case err = <-failed: // one of the listeners
	}
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = errors.Join(err, pages.Shutdown(grace))   // answers the requests that it has
	err = errors.Join(err, clients.Shutdown(grace)) // so does this one
	return errors.Join(err, e.Close())              // nobody uses it any more: it finishes its files
}

// A service that ends without losing a request. In a program ctx comes from
// signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM).
func ExampleServer_Shutdown() {
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	redis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve(ctx, web, redis) }()

	answer, err := http.Get("http://" + web.Addr().String())
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	fmt.Println(string(text), err)
	stop() // the signal
	fmt.Println(<-ended)
	// Output:
	// visit 1 <nil>
	// <nil>
}

package goredis

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"
)

// ErrURL is wrapped by the errors of [Open].
var ErrURL = errors.New("goredis: bad address")

// Open returns a go-redis client for a URL. The client connects when it is first used; the caller
// closes it.
//
//	redis://[[user]:password@]host[:port][/db]                 one server
//	rediss://…                                                 one server, over TLS
//	unix://[[user]:password@]/path/of/socket[?db=n]            one server, over a unix socket
//	redis+cluster://[…@]host[:port][?addr=host:port&…]         a Redis Cluster, by some of its nodes
//	redis+sentinel://[…@]host[:port][/db]?master_name=name[&…] a master, found through Sentinels
//
// rediss+cluster and rediss+sentinel are the same over TLS. User and password of redis+sentinel are
// those of the Sentinels; those of the server are the parameters username and password. Further
// parameters are the options of go-redis in lower case, such as pool_size=50, read_timeout=5s or
// max_retries=-1; an unknown one is an error. Unlike with the default of go-redis, calls end at the
// deadline of their context (ContextTimeoutEnabled). The errors wrap [ErrURL] and contain no
// password.
func Open(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil && !strings.Contains(address, "://") {
		return nil, fmt.Errorf("%w: %w", ErrURL, errForm)
	}
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // without the address, which may hold a password
		}
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	scheme, kind, _ := strings.Cut(u.Scheme, "+")
	if scheme != "unix" && u.Hostname() == "" || scheme == "unix" && (kind != "" || u.Path == "") {
		kind = "nowhere"
	}
	plain := *u
	plain.Scheme = scheme
	var rdb redis.UniversalClient
	switch {
	case scheme != "redis" && scheme != "rediss" && scheme != "unix":
		err = errForm
	case kind == "":
		var o *redis.Options
		if o, err = redis.ParseURL(plain.String()); err == nil {
			o.ContextTimeoutEnabled = true
			rdb = redis.NewClient(o)
		}
	case kind == "cluster":
		var o *redis.ClusterOptions
		if u.Path != "" && u.Path != "/" {
			err = errors.New("a cluster has no databases to choose from")
		} else if o, err = redis.ParseClusterURL(plain.String()); err == nil {
			o.ContextTimeoutEnabled = true
			rdb = redis.NewClusterClient(o)
		}
	case kind == "sentinel":
		var o *redis.FailoverOptions
		if u.Query().Get("master_name") == "" {
			err = errors.New("the parameter master_name is missing")
		} else if o, err = redis.ParseFailoverURL(plain.String()); err == nil {
			o.ContextTimeoutEnabled = true
			rdb = redis.NewFailoverClient(o)
		}
	default:
		err = errForm
	}
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrURL, u.Redacted(), err)
	}
	return rdb, nil
}

var errForm = errors.New("not of the form redis://host:port, unix:///path, redis+cluster://host:port or " +
	"redis+sentinel://host:port?master_name=name")

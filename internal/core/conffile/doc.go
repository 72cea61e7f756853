// Package conffile reads redis.conf and writes it back for CONFIG REWRITE.
package conffile

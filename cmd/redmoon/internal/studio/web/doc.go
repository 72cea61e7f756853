// Package web serves redmoon studio to a browser on this machine.
//
// # Who may use it
//
// The files of the page are for everybody. Requests of the protocol run scripts, so each needs the
// token, which is random for each process and part of the printed URL. The Host header must name
// the address of the server, so that a page of another site whose name resolves to this machine
// cannot read answers; a request with an Origin of another site is refused. The server listens on
// loopback addresses only.
package web

// Package deploy loads scripts and function libraries into a server, or into all masters of a
// cluster, for `redmoon deploy`.
//
// A deployment has four steps. [Read] makes the texts from files, and an engine that follows the
// server loads them. The state of every node is read and compared with them: the plan. Then each
// node in turn gets the scripts, and the libraries in one transaction. At last the state of every
// node is read again. Nothing is sent that changes a node before every node has been read.
package deploy

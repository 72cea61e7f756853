// Program wasm is redmoon studio without a server: compiled for GOOS=js GOARCH=wasm, it runs in a
// Web Worker and answers the protocol of package studio. make studio-static compiles it.
package main

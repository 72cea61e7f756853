// Package wire writes RESP: the bytes of replies and requests. Package resp sends them, and the
// server logs how many they are.
package wire

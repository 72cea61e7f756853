//go:build !linux

package main

import "errors"

func runOrder(options) error { return errors.New("runs on Linux only") }

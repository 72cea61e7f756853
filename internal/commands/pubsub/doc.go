// Package pubsub implements SUBSCRIBE, PUBLISH and PUBSUB.
package pubsub

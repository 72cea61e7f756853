// Package pubsubcmds implements SUBSCRIBE, PUBLISH and PUBSUB.
package pubsubcmds

// Package damage makes data sets on disk that cannot be loaded, in twenty ways.
package damage

// Package misuse calls everything that the module exports with arguments that make no sense.
// Its test says what each call must come to.
package misuse

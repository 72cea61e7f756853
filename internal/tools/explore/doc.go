// Package explore runs a program of several actors in every order of their steps, and finds the
// orders that break it. It knows nothing of engines: package play makes one of clients and an
// engine.
//
// A [System] is run again and again, each time from its beginning, and repeats what it did if it is
// given the same order. The search goes through the orders depth first: a run repeats the beginning
// of the run before it, then takes another actor.
//
// # Reduction
//
// Two steps commute if neither uses what the other changes; see [Uses]. Orders that differ only in
// where steps that commute stand have the same end, so one of them is enough. The search leaves the
// others out by two means:
//
//   - Source sets. After each run the races are known: pairs of steps of two actors that do not
//     commute and that nothing forces into their order. For each race one order is added in which
//     the second step comes first.
//   - Sleep sets. When all orders that begin with a step of an actor have been run, the actor
//     sleeps while the steps of the others commute with its own.
//
// Both are described by Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for
// Optimal Dynamic Partial Order Reduction" (2017). With a bound of preemptions the search uses the
// backtrack points of Coons, Musuvathi and McKinley, "Bounded Partial-Order Reduction" (2013), and
// no sleep sets: what is left out must not need a run that the bound forbids.
//
// The reduction keeps all ends of the system, and every state of each actor. It does not keep every
// state in between: whoever looks at those must say so in the uses of the steps.
package explore

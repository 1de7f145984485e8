// Metrics of the rules of custom kinds: the times of their compilation and evaluation.
import { type Distribution, histogram, Measures } from '../../lib/measure.ts'

const BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class RuleMeasures extends Measures {
  /** The largest cost of compiling and evaluating the rules of one object on this thread. A higher cost throws `TooLongHere`. */
  mostCost = Number.POSITIVE_INFINITY
  readonly compilations = histogram(
    'apiserver_cel_compilation_duration_seconds',
    'CEL compilation time in seconds, for the rules of one schema node.',
    { bounds: BOUNDS },
  )
  readonly evaluations = histogram(
    'apiserver_cel_evaluation_duration_seconds',
    'CEL evaluation time in seconds, for one object.',
    { bounds: BOUNDS },
  )
}

export function timed<T>(series: Distribution | undefined, run: () => T): T {
  if (series === undefined) return run()
  const began = performance.now()
  try {
    return run()
  } finally {
    series.observe((performance.now() - began) / 1000)
  }
}

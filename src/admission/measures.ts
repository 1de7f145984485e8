// How long admission takes, plugin by plugin, and whether it refuses.
import type { ApiObject } from '../api/object.ts'
import { type Distribution, histogramFamily, Measures } from '../lib/measure.ts'
import type { Admission, AdmissionPlugin, AdmissionRequest } from './admission.ts'

const BOUNDS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const STEP: readonly string[] = ['type', 'operation', 'rejected']
const PREFIX = 'apiserver_admission_'

export class AdmissionMeasures extends Measures {
  readonly plugins = histogramFamily({
    name: `${PREFIX}controller_admission_duration_seconds`,
    help: 'How long plugins took.',
    labels: ['name', ...STEP],
    bounds: BOUNDS,
  })
  readonly steps = histogramFamily({
    name: `${PREFIX}step_admission_duration_seconds`,
    help: 'How long all of them together took.',
    labels: STEP,
    bounds: BOUNDS,
  })
}

type Mutated = ApiObject | undefined | Promise<ApiObject | undefined>

/** The plugin, timed; one without a name is one of ours that cannot be switched off. */
export function measurePlugin(plugin: AdmissionPlugin, measures: AdmissionMeasures): AdmissionPlugin {
  const { name, mutate, validate } = plugin
  if (name === undefined) return plugin
  const time = (type: string) => timing((operation, rejected) => measures.plugins.of(name, type, operation, rejected))
  const [admit, check] = [time('admit'), time('validate')]
  return {
    ...plugin,
    ...(mutate === undefined
      ? {}
      : { mutate: (request, signal): Mutated => admit(request, () => mutate.call(plugin, request, signal)) }),
    ...(validate === undefined
      ? {}
      : {
          validate: (request, signal): void | Promise<void> =>
            check(request, () => validate.call(plugin, request, signal)),
        }),
  }
}

export function measureAdmission(inner: Admission, measures: AdmissionMeasures): Admission {
  const time = (type: string) => timing((operation, rejected) => measures.steps.of(type, operation, rejected))
  const [admit, check] = [time('admit'), time('validate')]
  return {
    mutate: (request, signal) => admit(request, () => inner.mutate(request, signal)),
    validate: (request, signal) => check(request, () => inner.validate(request, signal)),
  }
}

type Find = (operation: string, rejected: string) => Distribution

/** Times calls; each series is found once. */
function timing(find: Find): <T>(request: AdmissionRequest, run: () => T | Promise<T>) => T | Promise<T> {
  const known = new Map<string, Distribution>()
  const note = (operation: string, rejected: boolean, began: number): void => {
    const key = rejected ? `!${operation}` : operation
    let series = known.get(key)
    if (series === undefined) {
      series = find(operation, String(rejected))
      known.set(key, series)
    }
    series.observe((performance.now() - began) / 1000)
  }
  return ({ operation }, run) => {
    const began = performance.now()
    try {
      const made = run()
      if (!(made instanceof Promise)) {
        note(operation, false, began)
        return made
      }
      return made.then(
        (value) => {
          note(operation, false, began)
          return value
        },
        (error: unknown) => {
          note(operation, true, began)
          throw error
        },
      )
    } catch (error) {
      note(operation, true, began)
      throw error
    }
  }
}

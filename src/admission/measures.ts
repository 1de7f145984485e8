// The duration of admission as a whole and of each plugin, and whether the request was refused.
import { type Distribution, histogram, Measures } from '../lib/measure.ts'
import type { Admission, AdmissionPlugin, AdmissionRequest } from './admission.ts'

const BOUNDS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const STEP: readonly string[] = ['type', 'operation', 'rejected']
const PREFIX = 'apiserver_admission_'

export class AdmissionMeasures extends Measures {
  readonly plugins = histogram(
    `${PREFIX}controller_admission_duration_seconds`,
    'Admission plugin latency in seconds, by plugin.',
    { labels: ['name', ...STEP], bounds: BOUNDS },
  )
  readonly steps = histogram(
    `${PREFIX}step_admission_duration_seconds`,
    'Latency of the admission chain in seconds, by step.',
    { labels: STEP, bounds: BOUNDS },
  )
}

/** The plugin with metrics. Internal plugins have no name and are not measured. */
export function measurePlugin(plugin: AdmissionPlugin, measures: AdmissionMeasures): AdmissionPlugin {
  const { name } = plugin
  if (name === undefined) return plugin
  const find = (type: string): Find => measures.plugins.of.bind(measures.plugins, name, type)
  return {
    ...plugin,
    ...(plugin.mutate === undefined ? {} : { mutate: timed(plugin.mutate.bind(plugin), find('admit')) }),
    ...(plugin.validate === undefined ? {} : { validate: timed(plugin.validate.bind(plugin), find('validate')) }),
  }
}

export function measureAdmission(inner: Admission, measures: AdmissionMeasures): Admission {
  const find = (type: string): Find => measures.steps.of.bind(measures.steps, type)
  return {
    mutate: timed(inner.mutate.bind(inner), find('admit')),
    validate: timed(inner.validate.bind(inner), find('validate')),
    hasExtensions: (phase) => inner.hasExtensions(phase),
    readsObjects: (phase, request) => inner.readsObjects(phase, request),
  }
}

type Find = (operation: string, rejected: string) => Distribution
type Call<T> = (request: AdmissionRequest, signal: AbortSignal) => T | Promise<T>

/** Each series is looked up once. */
function timed<T>(call: Call<T>, find: Find): Call<T> {
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
  return (request, signal) => {
    const { operation } = request
    const began = performance.now()
    try {
      const made = call(request, signal)
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

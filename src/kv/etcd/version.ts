// What a version of etcd can be trusted with.

/**
 * Progress on request was ahead of events that were still to come before these patches; 3.6 never had the fault.
 * An answer like that, taken at its word, loses events for ever.
 */
const PROGRESS_SINCE: Readonly<Record<string, number>> = Object.freeze({ '3.4': 31, '3.5': 13 })

/** False for a version that is not understood. */
export function answersProgressRight(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(version)
  if (match === null) return false
  const [major, minor, patch] = match.slice(1, 4).map(Number) as [number, number, number]
  if (major !== 3 || minor > 5) return major >= 3
  const since = PROGRESS_SINCE[`${major}.${minor}`]
  return since !== undefined && patch >= since
}

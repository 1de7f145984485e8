// Forgets the series of resources that are no longer served. Custom resource definitions are created and deleted, and each has dozens of
// series.
import { formatGroupResource, type GroupVersionResource } from '../api/object.ts'
import type { Family } from '../lib/measure.ts'
import type { FamilySnapshot } from './worker-metrics.ts'

/** The types that labels can name. */
export interface KnownTypes {
  /** Grows with every change. */
  readonly version: () => number
  readonly isServed: (resource: GroupVersionResource) => boolean
  /** Whether a type such as `deployments.apps` exists in any version. */
  readonly isKnown: (name: string) => boolean
}

/** Forgets the series of types that are gone, in every family with labels of resources. */
export function forgetGone(families: Iterable<Family>, types: KnownTypes): void {
  for (const family of families) {
    const isGone = goneIn(family.labels, types)
    if (isGone !== undefined) family.forget(isGone)
  }
}

/** Returns the series of types that are gone, from the counts of another process. */
export function goneFrom(
  known: readonly Family[],
  counted: readonly FamilySnapshot[],
  types: KnownTypes,
): readonly FamilySnapshot[] {
  const labelsOf = new Map(known.map(({ name, labels }) => [name, labels]))
  return counted.flatMap((family) => {
    const labels = labelsOf.get(family.name) ?? []
    const isGone = goneIn(labels, types)
    const series = family.series.filter(({ values }) => values.length === labels.length && isGone?.(values) === true)
    return series.length === 0 ? [] : [{ ...family, series }]
  })
}

function goneIn(labels: readonly string[], types: KnownTypes): ((values: readonly string[]) => boolean) | undefined {
  const at = (label: string): number | undefined => (labels.includes(label) ? labels.indexOf(label) : undefined)
  const [group, version, resource] = [at('group'), at('version'), at('resource')]
  const name = group === undefined ? (at('crd_name') ?? resource) : undefined
  // Only the types of custom resources can be removed, and their names have a group. Other values of the label may not be types (`pod`,
  // `controller`).
  if (name !== undefined) return (values) => values[name]!.includes('.') && !types.isKnown(values[name]!)
  if (group === undefined || resource === undefined) return undefined
  const isNamed = (values: readonly string[]): boolean => values[resource] !== ''
  if (version === undefined) {
    return (values) =>
      isNamed(values) && !types.isKnown(formatGroupResource({ group: values[group]!, resource: values[resource]! }))
  }
  return (values) => {
    const place = { group: values[group]!, version: values[version]!, resource: values[resource]! }
    return isNamed(values) && !types.isServed(place)
  }
}

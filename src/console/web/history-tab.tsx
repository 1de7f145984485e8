// The last versions of an object: their writers and their changes. Only servers with the gate `ObjectHistory` have this history.
import { ask } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { writersSince } from './field-owners.ts'
import { type Kind, objectPath } from './kind.ts'
import { Listing } from './listing.tsx'
import { changesBetween } from './object-changes.ts'
import { ONCE, usePolled } from './polling.ts'
import { ageText } from './table-rows.ts'

const MOST_VERSIONS = 20

interface Versions {
  /** Newest first. Absent: the server has answered with the object, since it offers no history. */
  readonly items?: readonly ManagedObject[]
}

/** Whether the server offers the history of the object to this user. */
export function useHasHistory(path: string): boolean {
  return usePolled((signal) => readVersions(path, 1, signal), ONCE).value?.items !== undefined
}

function readVersions(path: string, count: number, signal: AbortSignal): Promise<Versions> {
  return ask<Versions>(`${path}?history=${count}`, { signal })
}

export function HistoryTab({ kind, object: { metadata } }: { readonly kind: Kind; readonly object: ManagedObject }) {
  const path = objectPath(kind, { namespace: metadata.namespace ?? '', name: metadata.name })
  const read = (signal: AbortSignal): Promise<Versions> => readVersions(path, MOST_VERSIONS + 1, signal)
  const { value, problem } = usePolled(read, ONCE, metadata.resourceVersion)
  const versions = value?.items
  const rows = versions?.slice(0, MOST_VERSIONS).map((version, i) => {
    const before = versions[i + 1]
    const managed = version.metadata.managedFields ?? []
    const writers = writersSince(before?.metadata.managedFields ?? [], managed)
    const newest = managed
      .map(({ time = '' }) => time)
      .toSorted()
      .at(-1)
    const changes = before === undefined ? ['The oldest version that the server has.'] : changesBetween(before, version)
    // Values of secrets are not shown.
    const shown = kind.plural === 'secrets' ? changes.map((change) => change.replace(/^([^:]+): .*/, '$1')) : changes
    return [
      <span class="mono">{version.metadata.resourceVersion}</span>,
      newest === undefined ? '–' : ageText(newest, Date.now()),
      writers.join(', ') || '–',
      <ul class="changes">
        {shown.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>,
    ]
  })
  return <Listing title="Versions" columns={['Version', 'Age', 'Writer', 'Changes']} rows={rows} problem={problem} />
}

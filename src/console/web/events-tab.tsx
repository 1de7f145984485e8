// The events of an object, newest first, live.
import { Alert } from './alert.tsx'
import { ask } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { type Fields, textAt } from './fields.ts'
import { PlainTable, Toned } from './listing.tsx'
import { usePolled } from './polling.ts'
import { ageText } from './table-rows.ts'

const EVERY_MS = 2000
const MOST_EVENTS = '100'

const FIELDS: readonly string[] = [
  'type',
  'reason',
  'reportingComponent',
  'source',
  'count',
  'message',
  'lastTimestamp',
]

export function EventsTab({ object: { metadata } }: { readonly object: ManagedObject }) {
  const { uid = '', namespace = 'default', resourceVersion } = metadata
  const query = new URLSearchParams({
    fieldSelector: `involvedObject.uid=${uid}`,
    orderBy: 'lastTimestamp desc,metadata.creationTimestamp desc',
    select: ['metadata.creationTimestamp', ...FIELDS].join(','),
    limit: MOST_EVENTS,
  })
  const { value, problem } = usePolled(
    (signal) =>
      ask<{ readonly items: readonly Fields[] }>(`/api/v1/namespaces/${namespace}/events?${query.toString()}`, {
        signal,
      }),
    EVERY_MS,
    resourceVersion,
  )
  if (problem !== undefined) return <Alert text={problem.message} />
  if (value === undefined) return <p class="empty">Loading…</p>
  if (value.items.length === 0) return <p class="empty">No recent events.</p>
  return (
    <PlainTable
      title="Events"
      columns={['Last seen', 'Type', 'Reason', 'From', 'Count', 'Message']}
      rows={value.items.map((event) => {
        const text = (path: string): string => textAt(event, path)
        return [
          ageText(text('lastTimestamp') || text('metadata.creationTimestamp'), Date.now()),
          <Toned tone={text('type') === 'Warning' ? 'bad' : 'good'} text={text('type')} />,
          text('reason'),
          text('reportingComponent') || text('source.component'),
          text('count') || '1',
          text('message'),
        ]
      })}
    />
  )
}

// The events of an object, newest first, live.
import { useEffect, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { API, ask, type Problem, STREAM_RETRY_MS } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { useAttempts } from './polling.ts'
import { ageText } from './table-rows.ts'
import { collectionPath, type Kind } from './kind.ts'

interface ReportedEvent {
  readonly metadata: { readonly uid: string; readonly creationTimestamp: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string | null
  readonly source?: { readonly component?: string }
  readonly reportingComponent?: string
}

interface EventList {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly ReportedEvent[]
}

interface Props {
  readonly kinds: readonly Kind[]
  readonly object: ManagedObject
}

export function EventsTab({ kinds, object }: Props) {
  const { events, problem } = useEvents(kinds, object)
  if (problem !== undefined) return <Alert text={problem.message} />
  if (events.length === 0) return <p class="empty">No recent events.</p>
  const now = Date.now()
  return (
    <table class="plain">
      <thead>
        <tr>
          {['Last seen', 'Type', 'Reason', 'From', 'Count', 'Message'].map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={event.metadata.uid}>
            <td class="nowrap">{ageText(timeOf(event), now)}</td>
            <td>
              <span class={`tone ${event.type === 'Warning' ? 'bad' : 'good'}`}>{event.type}</span>
            </td>
            <td>{event.reason}</td>
            <td>{event.reportingComponent || event.source?.component}</td>
            <td class="number">{event.count ?? 1}</td>
            <td>{event.message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function timeOf({ lastTimestamp, metadata }: ReportedEvent): string {
  return lastTimestamp ?? metadata.creationTimestamp
}

function useEvents(
  kinds: readonly Kind[],
  { metadata }: ManagedObject,
): { readonly events: readonly ReportedEvent[]; readonly problem: Problem | undefined } {
  const [events, setEvents] = useState<readonly ReportedEvent[]>([])
  const { count, problem, report } = useAttempts()
  const [round, setRound] = useState(0)
  const { uid = '', namespace = 'default' } = metadata
  const kind = kinds.find(({ group, plural }) => group === '' && plural === 'events')
  useEffect(() => {
    if (kind === undefined) return undefined
    const known = new Map<string, ReportedEvent>()
    const put = (...some: readonly ReportedEvent[]): void => {
      for (const event of some) known.set(event.metadata.uid, event)
      setEvents([...known.values()].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)))
    }
    const path = collectionPath(kind, namespace)
    const selector = `fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`
    let source: EventSource | undefined
    let timer: number | undefined
    const closing = new AbortController()
    ask<EventList>(`${path}?${selector}`, { signal: closing.signal }).then(
      ({ items, metadata: { resourceVersion } }) => {
        put(...items)
        report()
        if (closing.signal.aborted) return
        source = new EventSource(`${API}${path}?${selector}&watch=1&resourceVersion=${resourceVersion}`)
        for (const type of ['ADDED', 'MODIFIED']) {
          source.addEventListener(type, (event: MessageEvent<string>) => put(JSON.parse(event.data) as ReportedEvent))
        }
        source.addEventListener('error', () => {
          if (source?.readyState === EventSource.CLOSED)
            timer = window.setTimeout(() => setRound(round + 1), STREAM_RETRY_MS)
        })
      },
      (error: unknown) => {
        if (!closing.signal.aborted) report(error)
      },
    )
    return () => {
      closing.abort()
      window.clearTimeout(timer)
      source?.close()
    }
  }, [kind, uid, namespace, count, round])
  return { events, problem }
}

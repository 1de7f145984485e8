// The columns of events, in the core group and in events.k8s.io.
import type { Value, ValueMap } from '../../api/value.ts'
import { column, NAME, tableOf, type TableShape, text, wide } from '../../codec/tables/column.ts'
import { ageOf, type Now } from '../../codec/tables/elapsed.ts'
import { at, numberAt, textAt } from '../../codec/tables/reading.ts'

/** The first value of the named fields: the two groups have different names for the same field. */
function first(event: ValueMap, ...names: readonly string[]): Value | undefined {
  for (const name of names) {
    const found = at(event, name)
    if (found !== undefined && found !== '' && found !== 0) return found
  }
  return undefined
}

function firstSeen(event: ValueMap, now: Now): string {
  return ageOf(textAt(first(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime')), now)
}

function lastSeen(event: ValueMap, now: Now): string {
  const series = at(event, 'series')
  if (series !== undefined) return ageOf(textAt(series, 'lastObservedTime'), now)
  const last = textAt(first(event, 'lastTimestamp', 'deprecatedLastTimestamp'))
  return last === '' ? firstSeen(event, now) : ageOf(last, now)
}

function eventObject(event: ValueMap): string {
  const object = first(event, 'involvedObject', 'regarding')
  const name = textAt(object, 'name')
  const kind = textAt(object, 'kind').toLowerCase()
  return name === '' ? kind : `${kind}/${name}`
}

function eventSource(event: ValueMap): string {
  const source = first(event, 'source', 'deprecatedSource')
  const component = textAt(source, 'component') || textAt(first(event, 'reportingComponent', 'reportingController'))
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance')
  return instance === '' ? component : `${component}, ${instance}`
}

function eventCount(event: ValueMap): Value {
  const series = at(event, 'series')
  return series === undefined ? (first(event, 'count', 'deprecatedCount') ?? 1) : numberAt(series, 'count')
}

export const EVENT_COLUMNS: TableShape = tableOf([
  column('Last Seen', 'The time since the event happened last.', lastSeen),
  column('Type', 'Normal or a warning.', text('type')),
  column('Reason', 'The reason, in one word.', text('reason')),
  column('Object', 'The object of the event.', eventObject),
  wide('Subobject', 'The part of the object.', (event) =>
    textAt(first(event, 'involvedObject', 'regarding'), 'fieldPath'),
  ),
  wide('Source', 'The component that reported the event.', eventSource),
  column('Message', 'The message of the event.', (event) => textAt(first(event, 'message', 'note')).trim()),
  wide('First Seen', 'The time since the event happened first.', firstSeen),
  wide('Count', 'The number of times that the event happened.', eventCount),
  { ...NAME, priority: 1 },
])

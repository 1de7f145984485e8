// The columns of events, in both of their groups.
import type { Value, ValueMap } from '../../api/value.ts'
import { column, NAME, tableOf, type TableShape, text, wide } from '../../codec/tables/column.ts'
import { ageOf, type Now } from '../../codec/tables/elapsed.ts'
import { at, numberAt, textAt } from '../../codec/tables/reading.ts'

/** The two groups have different names for the same field. */
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
  column('Last Seen', 'How long ago it happened last.', lastSeen),
  column('Type', 'Normal or a warning.', text('type')),
  column('Reason', 'Why, in one word.', text('reason')),
  column('Object', 'What it is about.', eventObject),
  wide('Subobject', 'Which part of it.', (event) => textAt(first(event, 'involvedObject', 'regarding'), 'fieldPath')),
  wide('Source', 'Who reported it.', eventSource),
  column('Message', 'What happened.', (event) => textAt(first(event, 'message', 'note')).trim()),
  wide('First Seen', 'How long ago it happened first.', firstSeen),
  wide('Count', 'How often it happened.', eventCount),
  { ...NAME, priority: 1 },
])

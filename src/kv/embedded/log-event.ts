// Makes the event for watchers from an entry of the log.
import type { KvEvent } from '../kv.ts'
import type { StoredItem } from '../transactional.ts'
import type { LogEntry } from './records.ts'

export function toEvent(entry: LogEntry, before: StoredItem | undefined): KvEvent {
  const { key, revision, createRevision, value } = entry
  const previous = before === undefined ? undefined : { previous: before }
  return value === undefined
    ? { kind: 'delete', key, revision, ...previous }
    : { kind: 'put', key, value, revision, createRevision, ...previous }
}

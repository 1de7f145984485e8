// Turns etcd's record of a key into the port's.
import type { KeyValue as WireKeyValue } from '../gen/rpc.ts'
import type { KeyValue } from '../kv.ts'

export function toKeyValue(wire: WireKeyValue): KeyValue
export function toKeyValue(wire: WireKeyValue | undefined): KeyValue | undefined
export function toKeyValue(wire: WireKeyValue | undefined): KeyValue | undefined {
  if (wire === undefined) return undefined
  const { key, value, revision, createRevision } = wire
  return { key, value, revision, createRevision }
}

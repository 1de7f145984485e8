// Turns etcd's record of a key into a `KeyValue` of the storage port (`kv/kv.ts`).
import type { KeyValue as WireKeyValue } from '../gen/rpc.ts'
import type { KeyValue } from '../kv.ts'

export function toKeyValue(wire: WireKeyValue): KeyValue
export function toKeyValue(wire: WireKeyValue | undefined): KeyValue | undefined
export function toKeyValue(wire: WireKeyValue | undefined): KeyValue | undefined {
  if (wire === undefined) return undefined
  const { key, value, revision, createRevision } = wire
  return { key, value, revision, createRevision }
}

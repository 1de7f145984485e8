// Calls of etcd's KV service in short words, and any number of them by chance.
import { dice } from '../corpora/dice.ts'

export type EtcdRequest = readonly [`${string}/${string}`, Readonly<Record<string, unknown>>]

export const bytes = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
export const put = (key: string, value = 'v', more: object = {}): EtcdRequest => [
  'KV/Put',
  { key: bytes(key), value: bytes(value), ...more },
]
export const range = (key: string, end = '', more: object = {}): EtcdRequest => [
  'KV/Range',
  { key: bytes(key), range_end: bytes(end), ...more },
]
export const remove = (key: string, end = '', more: object = {}): EtcdRequest => [
  'KV/DeleteRange',
  { key: bytes(key), range_end: bytes(end), ...more },
]
const NAMES: Readonly<Record<string, string>> = {
  'KV/Put': 'request_put',
  'KV/Range': 'request_range',
  'KV/DeleteRange': 'request_delete_range',
  'KV/Txn': 'request_txn',
}
const op = ([method, request]: EtcdRequest): object => ({ [NAMES[method]!]: request })
export const txn = (
  compare: readonly object[],
  success: readonly EtcdRequest[],
  failure: readonly EtcdRequest[] = [],
): EtcdRequest => ['KV/Txn', { compare, success: success.map(op), failure: failure.map(op) }]
export const compare = (key: string, target: string, result: string, more: object): object => ({
  key: bytes(key),
  target,
  result,
  ...more,
})
/** The range of all keys. */
export const ALL = ['\0', '\0'] as const

/** Any requests on a few keys, so that they meet. */
export function anyRequests(seed: number, count: number): readonly EtcdRequest[] {
  const roll = dice(seed)
  const pick = <T>(...choices: readonly T[]): T => choices[roll(choices.length)]!
  const key = (): string => pick('a', 'b', 'c', 'd', 'b\xff', 'ä')
  const end = (): string => pick('', '', '\0', 'b', 'c', 'e')
  const plainPut = (): EtcdRequest => put(key(), `${roll(5)}`, { prev_kv: pick(true, false) })
  const anyPut = (): EtcdRequest =>
    put(key(), `${roll(5)}`, pick({}, { prev_kv: true }, { ignore_value: true, value: '' }))
  const anyRange = (): EtcdRequest =>
    range(key(), end(), {
      limit: roll(4),
      revision: pick(0, 0, 0, roll(count)),
      sort_order: pick('None', 'Ascend', 'Descend'),
      sort_target: pick('Key', 'Key', 'Mod', 'Create'),
      ...pick({}, {}, { keys_only: true }, { count_only: true }, { min_mod_revision: roll(count) }),
    })
  const anyDelete = (): EtcdRequest => remove(key(), end(), { prev_kv: pick(true, false) })
  const anyCompare = (): object => {
    const [target, value] = pick(
      ['Version', { version: roll(4) }] as const,
      ['Mod', { mod_revision: roll(count) }] as const,
      ['Create', { create_revision: roll(count) }] as const,
      ['Value', { value: bytes(`${roll(5)}`) }] as const,
    )
    return compare(key(), target, pick('Equal', 'NotEqual', 'Greater', 'Less'), { ...value, range_end: bytes(end()) })
  }
  const some = <T>(make: () => T): readonly T[] => Array.from({ length: roll(4) }, make)
  const anyTxn = (depth: number): EtcdRequest => {
    // A put that keeps the value of what the same transaction has deleted would end etcd with a panic.
    const anyOp = (): EtcdRequest =>
      pick(plainPut, anyRange, anyDelete, () => (depth > 0 ? anyTxn(depth - 1) : plainPut()))()
    return txn(some(anyCompare), some(anyOp), some(anyOp))
  }
  const compaction = (): EtcdRequest => ['KV/Compact', { revision: roll(count) >> 2 }]
  return Array.from({ length: count }, () =>
    pick(
      anyPut,
      anyPut,
      anyRange,
      anyRange,
      anyDelete,
      () => anyTxn(2),
      () => anyTxn(1),
      compaction,
    )(),
  )
}

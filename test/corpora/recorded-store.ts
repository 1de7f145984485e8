// What kube-apiserver stored of every kind, and what it answered then, as recorded by test/reference/swap-record.test.ts: for
// tests that have no kube-apiserver at hand.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonMap, PlainClient } from '../rigs/plain-client.ts'

export const RECORDED = path.join(import.meta.dirname, '../fixtures/swap/recorded.json')

export interface RecordedStore {
  /** Values in base64, by the key below `/registry/`. */
  readonly stored: Readonly<Record<string, string>>
  /** The items of each list in JSON, by its path. */
  readonly answers: Readonly<Record<string, readonly JsonMap[]>>
}

export function recordedStore(): RecordedStore {
  return JSON.parse(readFileSync(RECORDED, 'utf8')) as RecordedStore
}

/** The items of a list as text, without the versions, which every storage counts for itself; by namespace and name. */
export async function itemsOf(client: PlainClient, list: string): Promise<ReadonlyMap<string, string>> {
  const { items } = (await client.must(list)) as { items: readonly JsonMap[] }
  return new Map(items.map((item) => [nameOf(item), withoutVersion(item)]))
}

export function nameOf(item: JsonMap): string {
  const { namespace = '', name } = item['metadata'] as { namespace?: string; name: string }
  return `${namespace}/${name}`
}

export function withoutVersion(item: JsonMap): string {
  const { resourceVersion: _, ...metadata } = item['metadata'] as JsonMap
  return JSON.stringify({ ...item, metadata })
}

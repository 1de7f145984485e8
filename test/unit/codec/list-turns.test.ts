import { expect, it } from 'vitest'
import { writeList } from '../../../src/codec/list-writer.ts'
import { Transcoder } from '../../../src/codec/transcode.ts'
import type { Turns } from '../../../src/lib/turns.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

it('a list has the event loop again behind each turn of the others', async () => {
  const bytes = Buffer.from(`{"kind":"Secret","apiVersion":"v1","data":{"k":"${'a'.repeat(100_000)}"}}`)
  const item = { bytes, object: () => JSON.parse(bytes.toString()) as never }
  const type = { apiVersion: 'v1', kind: 'SecretList', itemKind: 'Secret', custom: false }
  const metadata = { resourceVersion: '1', continue: '', remainingItemCount: undefined }
  const taken: string[] = []
  const turns = { isOver: true, next: async () => void taken.push('others') } as unknown as Turns
  const base = { schemas: loadBuiltInSchema(), transcoder: new Transcoder() }
  const tools = { ...base, turns, resume: () => void taken.push('list') }
  const list = { form: { kind: 'objects', type }, metadata, items: [[item, item]] } as const
  for await (const _ of writeList(list, { encoding: 'json', pretty: false }, tools));
  expect(taken).toEqual(['list', 'others', 'list'])
})

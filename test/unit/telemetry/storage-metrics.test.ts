import { expect, it } from 'vitest'
import { type StorageSize, storageFamilies } from '../../../src/telemetry/storage-metrics.ts'
import { exposition } from '../../../src/telemetry/exposition.ts'

async function shown(read: () => Promise<StorageSize | undefined>): Promise<readonly string[]> {
  let text = ''
  for await (const piece of exposition(storageFamilies(read))) text += String(piece)
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

it('tells the size of the storage, what of it is in use and how much is left, and asks for it once', async () => {
  let asked = 0
  const size = { bytes: 100, inUseBytes: 40, limit: { quotaBytes: 200, availableBytes: 100 } }
  const read = (): Promise<StorageSize> => Promise.resolve((asked++, size))
  expect(await shown(read)).toEqual([
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 100',
    'quarterdeck_storage_in_use_bytes{storage_cluster_id="etcd-0"} 40',
    'quarterdeck_storage_quota_bytes{storage_cluster_id="etcd-0"} 200',
    'quarterdeck_storage_available_bytes{storage_cluster_id="etcd-0"} 100',
  ])
  expect(asked).toBe(1)
})

it('leaves out what the storage does not tell, or all where it does not answer', async () => {
  const told = await shown(() => Promise.resolve({ bytes: 100, inUseBytes: 40, limit: undefined }))
  expect(told.map((line) => line.split('{')[0])).toEqual([
    'apiserver_storage_size_bytes',
    'quarterdeck_storage_in_use_bytes',
  ])
  expect(await shown(() => Promise.reject(new Error('it is away')))).toEqual([])
})

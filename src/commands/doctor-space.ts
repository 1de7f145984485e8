// Examines the free space of a store: the disk of an embedded store, the quota and the alarms of etcd.
import { statfs } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { reasonOf } from '../config/start-error.ts'
import type { EtcdConfig } from '../config/storage-config.ts'
import type { Etcd } from '../kv/etcd/etcd.ts'
import { KvError } from '../kv/kv.ts'
import type { Member } from '../kv/maintenance.ts'
import { openEtcdStorage } from '../server/storage.ts'
import { LITTLE_SHARE } from '../store/space-keeper.ts'
import { recoverSpace } from '../store/space-recovery.ts'
import type { Finding } from './doctor-findings.ts'

const LITTLE_SPACE_BYTES = 1e9

/** The default quota of etcd. It is assumed if etcd does not report its quota. */
export const DEFAULT_QUOTA_BYTES = 2 * 1024 ** 3

/** `fix` compacts and defragments an etcd without space and disarms its alarm. */
export async function examineSpace(config: Config, fix: boolean, signal: AbortSignal): Promise<readonly Finding[]> {
  const { storage } = config
  switch (storage.kind) {
    case 'memory':
      return []
    case 'embedded':
      return examineDisk(storage.directory)
    case 'etcd':
      return examineEtcd(config, storage, { fix, signal })
  }
}

async function examineDisk(directory: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  if (free >= LITTLE_SPACE_BYTES) return []
  const problem = `${megabytes(free)} are left on its disk`
  return [
    { check: 'storage', subject: directory, problem, remedy: 'make room: without free space, writes are refused' },
  ]
}

interface EtcdExamination {
  readonly fix: boolean
  readonly signal: AbortSignal
}

async function examineEtcd(config: Config, storage: EtcdConfig, how: EtcdExamination): Promise<readonly Finding[]> {
  const kv = await openEtcdStorage(config, storage, how.signal)
  try {
    const alarm = await examineAlarm(kv, how)
    const { answering, silent } = await kv.maintenance.members(how.signal)
    return [
      ...alarm,
      ...silent.map((url) => ({
        check: 'storage',
        subject: url,
        problem: 'the member does not answer',
        remedy: 'see whether it runs; a member answers again when its defragmentation is done',
      })),
      ...answering.flatMap(examineMember),
    ]
  } finally {
    await kv.close()
  }
}

async function examineAlarm(kv: Etcd, { fix, signal }: EtcdExamination): Promise<readonly Finding[]> {
  try {
    await kv.checkHealth(signal)
    return []
  } catch (error) {
    const problem = reasonOf(error)
    const isFull = error instanceof KvError && error.code === 'full'
    const remedy = isFull
      ? 'compact and defragment etcd, then etcdctl alarm disarm; --fix does all three'
      : 'see the log of etcd'
    const finding = { check: 'storage', subject: 'etcd', problem, remedy }
    if (!isFull || !fix) return [finding]
    const recovery = await recoverSpace(kv.maintenance, { isFirstTry: true }, signal)
    switch (recovery.kind) {
      case 'recovered':
        return [{ ...finding, fixed: true }]
      case 'still-full':
        return [
          {
            ...finding,
            remedy: 'delete objects or raise its quota: it is still full after compaction and defragmentation',
          },
        ]
      case 'unwell':
        return [{ ...finding, remedy: `bring all members back first: ${recovery.problem}` }]
    }
  }
}

function examineMember({ url, size, problems }: Member): readonly Finding[] {
  const { bytes, inUseBytes, limit } = size
  const quota = limit?.quotaBytes ?? DEFAULT_QUOTA_BYTES
  const told = limit === undefined ? `the default of ${megabytes(quota)}` : megabytes(quota)
  const space =
    bytes < (1 - LITTLE_SHARE) * quota
      ? []
      : [`its database has ${megabytes(bytes)}, ${megabytes(inUseBytes)} of them in use, and its quota is ${told}`]
  const remedy = 'delete objects, defragment it, or raise --quota-backend-bytes'
  return [
    ...space.map((problem) => ({ check: 'storage', subject: url, problem, remedy })),
    ...problems.map((problem) => ({ check: 'storage', subject: url, problem, remedy: 'see the log of etcd' })),
  ]
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

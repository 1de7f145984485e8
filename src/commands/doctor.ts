// `quarterdeck doctor`: examines a running server or a store, and prints faults and remedies.
import { Client } from '../client/client.ts'
import type { Environment } from '../config/config.ts'
import { failureOf, StartError, usageError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import type { Diagnosis } from './doctor-findings.ts'
import { formatDiagnosis } from './doctor-findings.ts'
import { print } from './output.ts'
import { connectionOf } from './server-flags.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig } from './storage-flags.ts'

/** The exit code is 1 if there is a finding that is not fixed. */
export async function runDoctor(args: readonly string[], environment: Environment): Promise<number> {
  const { read } = readCommandLine('doctor', args)
  const asJson = read.word('output') === 'json'
  const diagnosis = await diagnose(read, environment)
  print(asJson ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : formatDiagnosis(diagnosis))
  return diagnosis.findings.every(({ fixed }) => fixed === true) ? 0 : 1
}

type Flags = ReturnType<typeof readCommandLine<'doctor'>>['read']

async function diagnose(read: Flags, environment: Environment): Promise<Diagnosis> {
  const fix = read.switch('fix')
  if (read.isSet('data-dir') || read.isSet('etcd-servers') || read.isSet('config')) {
    const config = await readStorageConfig(read, environment)
    if (fix && config.storage.kind !== 'etcd')
      throw usageError('--fix works on a running server or on etcd, not on an embedded store')
    const { examineStore } = await import('./doctor-store.ts')
    return examineStore(config, fix, stopSignal())
  }
  const { examineServer } = await import('./doctor-server.ts')
  try {
    const connection = connectionOf(read)
    using client = new Client({ ...connection, userAgent: 'quarterdeck-doctor' })
    return await examineServer(client, connection, fix)
  } catch (error) {
    throw new StartError(failureOf(error), { cause: error })
  }
}

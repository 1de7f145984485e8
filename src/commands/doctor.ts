// `quarterdeck doctor`: what is wrong with a running server, or with a store, and what to do about it.
import { parseArgs } from 'node:util'
import { Client, type ConnectionOptions } from '../client/client.ts'
import { defaultConnection, readKubeconfig } from '../client/kubeconfig.ts'
import type { Environment } from '../config/config.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import type { Diagnosis } from './doctor-findings.ts'
import { formatDiagnosis } from './doctor-findings.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig, STORAGE_FLAGS } from './storage-flags.ts'

const FLAGS = {
  ...STORAGE_FLAGS,
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  fix: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o' },
  'encryption-provider-config': { type: 'string' },
} as const

type Flags = ReturnType<typeof parse>

/** Resolves with the exit code: 1 where something was found that is not fixed. */
export async function runDoctor(args: readonly string[], environment: Environment): Promise<number> {
  const flags = parse(args)
  const asJson = flags.output === 'json'
  if (flags.output !== undefined && !asJson)
    throw usageError('the only other output is json; see quarterdeck doctor --help')
  const diagnosis = await diagnose(flags, environment)
  process.stdout.write(asJson ? `${JSON.stringify(diagnosis, undefined, 2)}\n` : formatDiagnosis(diagnosis))
  return diagnosis.findings.every(({ fixed }) => fixed === true) ? 0 : 1
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck doctor --help`)
  }
}

async function diagnose(flags: Flags, environment: Environment): Promise<Diagnosis> {
  const isStore = ['data-dir', 'etcd-servers', 'config'].some((name) => flags[name as keyof Flags] !== undefined)
  if (isStore) {
    const config = await readStorageConfig(flags, environment)
    if (flags.fix && config.storage.kind !== 'etcd')
      throw usageError('--fix works on a running server or on etcd, not on an embedded store')
    const { examineStore } = await import('./doctor-store.ts')
    return examineStore(config, flags.fix, stopSignal())
  }
  const { examineServer } = await import('./doctor-server.ts')
  try {
    const connection = connectionOf(flags)
    using client = new Client({ ...connection, userAgent: 'quarterdeck-doctor' })
    return await examineServer(client, connection, flags.fix)
  } catch (error) {
    throw new StartError(reasonOf(error), { cause: error })
  }
}

/** As kubectl finds it where nothing is said. */
export function connectionOf(named: {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}): ConnectionOptions {
  const { kubeconfig, context } = named
  return kubeconfig === undefined ? defaultConnection(context) : readKubeconfig(kubeconfig, context)
}

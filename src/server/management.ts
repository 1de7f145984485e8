// Opens the management listeners of a configuration. They are there before the server is: until then they say that it starts.
import type { ManagementConfig } from '../config/management-config.ts'
import { readTextFile } from '../config/files.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import type { Log } from '../lib/log.ts'
import type { PageSource } from '../telemetry/management/management.ts'

const LOOPBACK = /^127\.|^::1$/

export interface RunningManagement extends AsyncDisposable {
  readonly urls: readonly string[]
  /** From now on its pages are shown. */
  show(source: PageSource): void
}

/** Throws a `StartError` where an address cannot be had. */
export async function openManagements(configs: readonly ManagementConfig[], log: Log): Promise<RunningManagement> {
  await using opened = new AsyncDisposableStack()
  const urls: string[] = []
  let shown: PageSource | undefined
  const onFault = (error: unknown): void =>
    log.error({ err: error }, 'a page of the management address could not be made')
  for (const config of configs) {
    const { clientCaFile: caFile, tokenFile, source: flag, host, port } = config
    const clientCa = caFile === undefined ? undefined : readTextFile(caFile, '--management-client-ca-file')
    if (tokenFile !== undefined && readTextFile(tokenFile, '--management-token-file').trim() === '')
      throw new StartError(`--management-token-file ${tokenFile} is empty`)
    const { openManagement } = await import('../telemetry/management/management.ts')
    try {
      const management = opened.use(await openManagement({ ...config, clientCa, source: () => shown, onFault }))
      urls.push(management.url)
      warn(config, log)
    } catch (error) {
      const where = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
      throw new StartError(`${flag}: cannot listen on ${where}: ${reasonOf(error)}`, { cause: error })
    }
  }
  const kept = opened.move()
  return {
    urls,
    show: (source) => {
      shown = source
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function warn({ host, port, probesOnly, openProbes, tokenFile, clientCaFile }: ManagementConfig, log: Log): void {
  if (probesOnly) log.warn({}, `--healthz-port is deprecated: use --management-address 127.0.0.1:${port}`)
  if (LOOPBACK.test(host)) return
  if (tokenFile === undefined && clientCaFile === undefined && !openProbes) {
    const flags = '--management-token-file, --management-client-ca-file or --management-open-probes'
    log.warn({}, `--management-address: other machines are refused without ${flags}`)
  }
  if (tokenFile !== undefined && clientCaFile === undefined) {
    log.warn({}, '--management-address: the token is sent unencrypted; with --management-client-ca-file there is TLS')
  }
}

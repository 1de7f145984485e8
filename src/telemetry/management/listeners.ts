// Opens the management listeners of a configuration, before the server is ready. Until then, they answer that the server is starting.
import type { ManagementConfig } from '../../config/management-config.ts'
import { readAuthorities, readTextFile } from '../../config/files.ts'
import { cannotListen, StartError } from '../../config/start-error.ts'
import type { Log } from '../../lib/log.ts'
import type { PageSource } from './management.ts'

export interface RunningManagement extends AsyncDisposable {
  readonly urls: readonly string[]
  /** Shows the pages of this source from now on. */
  show(source: PageSource): void
}

/** Throws a `StartError` if an address is not available. */
export async function openManagements(configs: readonly ManagementConfig[], log: Log): Promise<RunningManagement> {
  await using opened = new AsyncDisposableStack()
  const urls: string[] = []
  let shown: PageSource | undefined
  const onFault = (err: unknown): void => log.error({ err }, 'a page of the management address could not be made')
  for (const config of configs) {
    const { tokenFile, source: flag } = config
    const clientCa = readAuthorities(config.clientCaFile, '--management-client-ca-file')
    if (tokenFile !== undefined && readTextFile(tokenFile, '--management-token-file').trim() === '')
      throw new StartError(`--management-token-file ${tokenFile} is empty`)
    const { openManagement } = await import('./management.ts')
    try {
      urls.push(opened.use(await openManagement({ ...config, clientCa, source: () => shown, onFault })).url)
    } catch (error) {
      throw cannotListen(config, error, `${flag}: `)
    }
    for (const notice of noticesOf(config)) log.warn({}, notice)
  }
  const kept = opened.move()
  return {
    urls,
    show: (source) => void (shown = source),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function noticesOf({ host, port, probesOnly, openProbes, tokenFile, clientCaFile }: ManagementConfig): string[] {
  if (probesOnly) return [`--healthz-port is deprecated: use --management-address 127.0.0.1:${port}`]
  if (/^127\.|^::1$/.test(host) || clientCaFile !== undefined) return []
  if (tokenFile !== undefined)
    return ['--management-address: the token is sent unencrypted; with --management-client-ca-file there is TLS']
  const flags = '--management-token-file, --management-client-ca-file or --management-open-probes'
  return openProbes ? [] : [`--management-address: other machines are refused without ${flags}`]
}

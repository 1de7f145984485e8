// Opens the listener of the API by the configuration.
import { type Listener, type ListenerOptions, openListener } from '../http/listener.ts'
import type { Config } from '../config/config.ts'
import { consoleTarget } from '../console/console.ts'
import { cannotListen } from '../config/start-error.ts'
import { runtimeOf } from '../lib/runtime/runtime.ts'

type ListenParts = Pick<
  ListenerOptions,
  'sockets' | 'tls' | 'ticketKeys' | 'handler' | 'log' | 'observe' | 'onHandshake' | 'measures' | 'clock' | 'random'
>

export async function listen(config: Config, parts: ListenParts): Promise<Listener> {
  const { bindAddress: host, securePort: port, requestTimeoutMs, tlsRules, http2, sharesPort } = config
  const { readSocket } = runtimeOf(config)
  const { maxConnections, maxStreamsPerConnection, unfinished } = config
  const limits = { requestTimeoutMs, maxConnections, maxStreamsPerConnection, unfinished }
  const rules = { ...tlsRules, http2, sharesPort, ...limits }
  try {
    return await openListener({
      ...parts,
      ...rules,
      host,
      port,
      readSocket,
      consoleTarget: config.console === 'off' ? undefined : consoleTarget,
    })
  } catch (error) {
    throw cannotListen({ host, port }, error)
  }
}

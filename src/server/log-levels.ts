// The log levels of a running server, the same in all of its workers.
import type { RunningLogLevels } from '../handlers/log-levels.ts'
import { levelsOf, type Log, setLogLevel } from '../lib/log.ts'
import type { Peers } from './peers.ts'

/** `peers`: undefined where there is one worker. */
export function runningLogLevels(log: Log, peers: Peers | undefined): RunningLogLevels {
  return {
    all: () => levelsOf(log),
    async set(level, component) {
      setLogLevel(log, level, component)
      await peers?.ask({ kind: 'logLevel', level, component })
    },
  }
}

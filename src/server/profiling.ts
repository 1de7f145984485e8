// Profiles of the server, and how much it logs: of this process, and where it is one of several workers, of all of them.
import { type Config, levelOf } from '../config/config.ts'
import type { PprofParts } from '../handlers/pprof.ts'
import type { Log } from '../lib/log.ts'
import { openProfiler } from '../telemetry/profiler.ts'

export function openProfiling({ logLevel }: Config, log: Log): PprofParts {
  const setVerbosity = (number: number): void => {
    if (log.level !== undefined) log.level = levelOf(number, logLevel)
  }
  return { profiler: openProfiler(), setVerbosity }
}

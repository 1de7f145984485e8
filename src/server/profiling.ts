// Profiles of the server, and how much it logs: of this process, and where it is one of several workers, of all of them.
import { type Config, levelOf } from '../config/config.ts'
import type { RunningLogLevels } from '../handlers/log-levels.ts'
import type { PprofParts } from '../handlers/pprof.ts'
import { openProfiler } from '../telemetry/profiler.ts'

export function openProfiling({ logLevel }: Config, logLevels: RunningLogLevels): PprofParts {
  return { profiler: openProfiler(), setVerbosity: (number) => logLevels.set(levelOf(number, logLevel)) }
}

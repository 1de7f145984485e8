// Replays the scenarios that were recorded on the reference server against any server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type ApiLevel, DEFAULT_LEVEL } from '../../src/api/level.ts'

const REPLAYER = path.join(import.meta.dirname, '../conformance/replay.mjs')

/** The lines of a token file: of a member of system:masters, and of somebody without rights. */
export const REPLAY_TOKENS =
  'admin-token,replay-admin,replay-admin-uid,system:masters\nuser-token,replay-user,replay-user-uid\n'

export interface Replayed {
  /** Those whose names have this text; absent: all. */
  readonly only?: string
  /** Without those whose names have this text. */
  readonly except?: string
  /** Only those that not all levels answer alike. */
  readonly isDiffering?: boolean
  /** What the server serves. */
  readonly level?: ApiLevel
  /** The server is the reference; absent: it is this one, which decisions except some answers of. */
  readonly isReference?: true
}

/** The scenarios that differ, each with what differs, in the replayer's words. */
export async function differingScenarios(url: string, replayed: Replayed = {}): Promise<readonly string[]> {
  const { output, code } = await replay('verify', url, ['--verbose', ...flagsOf(replayed)])
  const scenarios = output.split(/\n(?=ok |FAIL )/).filter((scenario) => /^(ok|FAIL) /.test(scenario))
  const differing = scenarios.filter((scenario) => scenario.startsWith('FAIL'))
  // It fails where scenarios do, and says which; anything else that goes wrong must not pass for nothing.
  const isPlausible = scenarios.length > 0 && (code === 0) === (differing.length === 0)
  if (!isPlausible) throw new Error(`the replay ended with ${code}: ${output}`)
  return differing
}

/** Writes down what the server answers. Throws where a scenario does not come to its end. */
export async function recordScenarios(url: string, replayed: Replayed): Promise<void> {
  const { output, code } = await replay('record', url, flagsOf(replayed))
  if (code !== 0) throw new Error(`recording ended with ${code}: ${output}`)
}

function flagsOf({ only = '', except = '', level = DEFAULT_LEVEL, ...more }: Replayed): readonly string[] {
  const switches = [
    ...(more.isReference === true ? [] : ['--ours']),
    ...(more.isDiffering === true ? ['--differing'] : []),
  ]
  return ['--only', only, '--except', except, '--level', level, ...switches]
}

async function replay(mode: string, url: string, flags: readonly string[]): Promise<{ output: string; code: number }> {
  const args = [REPLAYER, mode, '--server', url, '--token', 'admin-token', '--insecure', ...flags]
  const env = { ...process.env, REPLAY_USER_TOKEN: 'user-token' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  return { output, code }
}

// Replays the scenarios that were recorded on the reference server against any server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const REPLAYER = path.join(import.meta.dirname, '../conformance/replay.mjs')

/** The lines of a token file: of a member of system:masters, and of somebody without rights. */
export const REPLAY_TOKENS =
  'admin-token,replay-admin,replay-admin-uid,system:masters\nuser-token,replay-user,replay-user-uid\n'

/** The scenarios that differ, each with what differs, in the replayer's words. `only` those whose names have this text. */
export async function differingScenarios(url: string, only = ''): Promise<readonly string[]> {
  const args = ['verify', '--server', url, '--token', 'admin-token', '--insecure', '--verbose', '--only', only]
  const env = { ...process.env, REPLAY_USER_TOKEN: 'user-token' }
  const child = spawn(process.execPath, [REPLAYER, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  const scenarios = output.split(/\n(?=ok |FAIL )/).filter((scenario) => /^(ok|FAIL) /.test(scenario))
  const differing = scenarios.filter((scenario) => scenario.startsWith('FAIL'))
  // It fails where scenarios do, and says which; anything else that goes wrong must not pass for nothing.
  const isPlausible = scenarios.length > 0 && (code === 0) === (differing.length === 0)
  if (!isPlausible) throw new Error(`the replay ended with ${code}: ${output}`)
  return differing
}

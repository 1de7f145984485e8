// etcd's own client, `etcdctl`.
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { buildEtcdProgram } from './etcd-programs.ts'

const run = promisify(execFile)

/** One call of it against an endpoint: what it prints. Throws with what it says where it fails. */
export async function etcdctl(
  endpoint: string,
  args: readonly string[],
  options: { readonly input?: string } = {},
): Promise<string> {
  const calling = run(await buildEtcdProgram('etcdctl'), [`--endpoints=${endpoint}`, ...args], { timeout: 30_000 })
  // One that ends before it has read all of its input is judged by how it ends.
  calling.child.stdin?.on('error', () => {}).end(options.input ?? '')
  return (await calling).stdout
}

/** One that goes on until nobody wants its lines any more. */
export async function* etcdctlLines(endpoint: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(await buildEtcdProgram('etcdctl'), [`--endpoints=${endpoint}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    yield* createInterface({ input: child.stdout })
  } finally {
    child.kill()
  }
}

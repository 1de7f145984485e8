// etcd's own client, `etcdctl`, built once from its Go module as the etcd of the tests is.
import { execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { runGo } from './go-toolchain.ts'
import { cacheFile, makeOnce } from './made-once.ts'

const run = promisify(execFile)

const VERSION = '3.6.14'

/** The path of the program. */
export async function findEtcdctl(): Promise<string> {
  const path = cacheFile('etcd', `etcdctl-go-${VERSION}-${process.arch}`)
  await makeOnce(path, async (folder) => {
    await writeFile(
      join(folder, 'go.mod'),
      `module quarterdeck/test/etcdctl\n\ngo 1.24\n\nrequire go.etcd.io/etcd/etcdctl/v3 v${VERSION}\n`,
    )
    await writeFile(
      join(folder, 'main.go'),
      'package main\n\nimport "go.etcd.io/etcd/etcdctl/v3/ctlv3"\n\nfunc main() { ctlv3.MustStart() }\n',
    )
    await runGo(['build', '-mod=mod', '-trimpath', '-ldflags=-s -w', '-o', 'etcdctl', '.'], folder)
    return 'etcdctl'
  })
  return path
}

/** One call of it against an endpoint: what it prints. Throws with what it says where it fails. */
export async function etcdctl(
  endpoint: string,
  args: readonly string[],
  options: { readonly input?: string } = {},
): Promise<string> {
  const calling = run(await findEtcdctl(), [`--endpoints=${endpoint}`, ...args], { timeout: 30_000 })
  calling.child.stdin?.end(options.input ?? '')
  return (await calling).stdout
}

/** One that goes on until nobody wants its lines any more. */
export async function* etcdctlLines(endpoint: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(await findEtcdctl(), [`--endpoints=${endpoint}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    yield* createInterface({ input: child.stdout })
  } finally {
    child.kill()
  }
}

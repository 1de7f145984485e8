// etcd and its tools, each built once from its Go module. What is built is kept in a cache outside the checkout.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGo } from './go-toolchain.ts'
import { cacheFile, makeOnce } from './made-once.ts'

/** The newest that we support. */
export const ETCD_VERSION = '3.6.14'

interface GoModule {
  readonly module: string
  /** The folder of the program in it. */
  readonly folder: string
  readonly version: string
}

const PROGRAMS = {
  etcd: { module: 'go.etcd.io/etcd/server/v3', folder: '', version: ETCD_VERSION },
  etcdctl: { module: 'go.etcd.io/etcd/etcdctl/v3', folder: '', version: ETCD_VERSION },
  etcdutl: { module: 'go.etcd.io/etcd/etcdutl/v3', folder: '', version: ETCD_VERSION },
  /** For the files of etcd's database. */
  bbolt: { module: 'go.etcd.io/bbolt', folder: '/cmd/bbolt', version: '1.4.3' },
} as const satisfies Record<string, GoModule>

export type EtcdProgram = keyof typeof PROGRAMS

/** Where the program is, or will be. */
export function builtPath(name: EtcdProgram): string {
  return cacheFile('etcd', `${name}-go-${PROGRAMS[name].version}-${process.arch}`)
}

/** The path of the program. Throws what Go says where it cannot be built. */
export async function buildEtcdProgram(name: EtcdProgram): Promise<string> {
  const { module, folder: program, version } = PROGRAMS[name]
  const path = builtPath(name)
  await makeOnce(path, async (folder) => {
    await writeFile(join(folder, 'go.mod'), `module quarterdeck/test\n\ngo 1.24\n\nrequire ${module} v${version}\n`)
    await runGo(['build', '-mod=mod', '-trimpath', '-ldflags=-s -w', '-o', name, `${module}${program}`], folder)
    return name
  })
  return path
}

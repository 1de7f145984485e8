// etcd and its tools, each built once from its Go module. What is built is kept in a cache outside the checkout.
import { buildGoProgram, type GoProgram, goProgramPath } from './go-program.ts'

/** The newest that we support. */
export const ETCD_VERSION = '3.7.3'

const PROGRAMS = {
  etcd: { module: 'go.etcd.io/etcd/server/v3', folder: '', version: ETCD_VERSION },
  etcdctl: { module: 'go.etcd.io/etcd/etcdctl/v3', folder: '', version: ETCD_VERSION },
  etcdutl: { module: 'go.etcd.io/etcd/etcdutl/v3', folder: '', version: ETCD_VERSION },
  /** For the files of etcd's database. */
  bbolt: { module: 'go.etcd.io/bbolt', folder: '/cmd/bbolt', version: '1.4.3' },
} as const satisfies Record<string, Omit<GoProgram, 'name'>>

export type EtcdProgram = keyof typeof PROGRAMS

/** Where the program is, or will be. */
export function builtPath(name: EtcdProgram, version: string = PROGRAMS[name].version): string {
  return goProgramPath('etcd', { name, ...PROGRAMS[name], version })
}

/** The path of the program. Throws what Go says where it cannot be built. */
export function buildEtcdProgram(name: EtcdProgram, version: string = PROGRAMS[name].version): Promise<string> {
  return buildGoProgram('etcd', { name, ...PROGRAMS[name], version })
}

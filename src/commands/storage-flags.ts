// Where the data is, for commands that work on it: the flags of `quarterdeck serve` that say so, with its environment and its file.
import { type Config, type Environment, readConfig } from '../config/config.ts'

/** For `parseArgs`. */
export const STORAGE_FLAGS = {
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  dev: { type: 'boolean' },
  'etcd-servers': { type: 'string' },
  'etcd-prefix': { type: 'string' },
  'etcd-cafile': { type: 'string' },
  'etcd-certfile': { type: 'string' },
  'etcd-keyfile': { type: 'string' },
} as const

type StorageFlag = keyof typeof STORAGE_FLAGS | 'encryption-provider-config'

export function readStorageConfig(
  values: { readonly [Name in StorageFlag]?: string | boolean | undefined },
  environment: Environment,
): Promise<Config> {
  const names = [...Object.keys(STORAGE_FLAGS), 'encryption-provider-config'] as StorageFlag[]
  const given = names.filter((name) => values[name] !== undefined)
  return readConfig(
    given.map((name) => `--${name}=${String(values[name])}`),
    environment,
  )
}

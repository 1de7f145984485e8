// The storage flags, environment and file of `quarterdeck serve`, for commands that work on a store.
import { type Config, type Environment, readConfig } from '../config/config.ts'
import { STORAGE } from './command-flags.ts'

interface GivenFlags {
  given(names: readonly string[]): readonly string[]
}

export function readStorageConfig(read: GivenFlags, environment: Environment): Promise<Config> {
  const names = STORAGE.map(({ name }) => name)
  return readConfig(read.given([...names, 'encryption-provider-config']), environment)
}

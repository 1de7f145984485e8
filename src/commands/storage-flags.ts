// Where the data is, for commands that work on it: the flags of `quarterdeck serve` that say so, with its environment and its file.
import { type Config, type Environment, readConfig } from '../config/config.ts'
import { STORAGE } from './command-flags.ts'

interface GivenFlags {
  given(names: readonly string[]): readonly string[]
}

export function readStorageConfig(read: GivenFlags, environment: Environment): Promise<Config> {
  const names = STORAGE.map(({ name }) => name)
  return readConfig(read.given([...names, 'encryption-provider-config']), environment)
}

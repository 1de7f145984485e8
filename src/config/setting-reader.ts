// Reads settings as typed values, with the defaults of the table of flags. Errors are one line that names the source.
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { parseDuration } from '../lib/duration.ts'
import { type Flag, FLAGS, type FlagName } from './flags.ts'
import type { Setting, Settings } from './settings.ts'
import { usageError } from './start-error.ts'

export class SettingReader<Name extends string = FlagName> {
  readonly #settings: Settings<Name>
  readonly #flags: ReadonlyMap<string, Flag>

  /** `flags`: the table with the defaults. */
  constructor(settings: Settings<Name>, flags: readonly Flag[] = FLAGS) {
    this.#settings = settings
    this.#flags = new Map(flags.map((flag) => [flag.name, flag]))
  }

  optional(name: Name): Setting | undefined {
    const set = this.#settings.get(name)
    if (set !== undefined) return set
    const fallback = this.#flags.get(name)?.fallback
    return fallback === undefined ? undefined : { text: fallback, source: `--${name}` }
  }

  text(name: Name): string | undefined {
    return this.optional(name)?.text
  }

  /** The value. Throws if it is not one of the words of the flag. */
  word(name: Name): string | undefined {
    const setting = this.optional(name)
    return setting === undefined ? undefined : oneOf(setting, this.#flags.get(name)?.values ?? [])
  }

  /** The set flags among these names, as arguments. */
  given(names: readonly string[]): readonly string[] {
    const set = [...this.#settings].filter(([name]) => names.includes(name))
    return set.map(([name, { text }]) => `--${name}=${text}`)
  }

  /** Whether the flag is set, even to its default. */
  isSet(name: Name): boolean {
    return this.#settings.has(name)
  }

  required(name: Name): Setting {
    const setting = this.optional(name)
    if (setting === undefined || setting.text === '') throw usageError(`--${name} needs a value`)
    return setting
  }

  /** The text of every flag, or its default. Empty: the flag has neither. */
  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#flags.keys()].map((name) => [name, this.text(name as Name) ?? '']))
  }

  switch(name: Name): boolean {
    const { text, source } = this.required(name)
    const value = parseBoolean(text)
    if (value === undefined) throw usageError(`${source}: "${text}" is not a boolean`)
    return value
  }

  list(name: Name): readonly string[] {
    const text = this.optional(name)?.text ?? ''
    return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  }

  file(name: Name): string | undefined {
    const text = this.text(name) ?? ''
    return text === '' ? undefined : path.resolve(text)
  }

  directory(name: Name): string | undefined {
    const setting = this.optional(name)
    return setting === undefined || setting.text === '' ? undefined : directoryPath(setting)
  }
}

/** Matches a text with a scheme or a port, and `localhost`. */
const ADDRESS = /^[a-z][a-z\d+.-]+:|^[^/]*:\d+(?:,|$)|^localhost$/i

/** The absolute path. Throws for an empty text and for an address, which is probably not meant as a directory. */
export function directoryPath({ text, source }: Setting, hint = ''): string {
  if (text.trim() === '') throw usageError(`${source} needs a directory: the text is empty`)
  if (isIP(text) !== 0 || ADDRESS.test(text)) {
    throw usageError(
      `${source}: "${text}" is an address, not a directory${hint}; for a directory of that name write ./${text}`,
    )
  }
  return path.resolve(text)
}

export function parseBoolean(text: string): boolean | undefined {
  if (/^(true|t|1)$/i.test(text)) return true
  return /^(false|f|0)$/i.test(text) ? false : undefined
}

export interface CertificatePair {
  readonly certificateFile: string
  readonly keyFile: string
}

export function pair<Name extends string>(
  read: SettingReader<Name>,
  certificate: Name,
  key: Name,
): CertificatePair | undefined {
  const certificateFile = read.file(certificate)
  const keyFile = read.file(key)
  if (certificateFile === undefined && keyFile === undefined) return undefined
  if (certificateFile === undefined || keyFile === undefined) {
    const [given, missing] = certificateFile === undefined ? [key, certificate] : [certificate, key]
    throw usageError(`--${given} requires --${missing}`)
  }
  return { certificateFile, keyFile }
}

/** The pair with the reference's file names in a directory. Undefined: the directory does not have both files. */
export function pairIn(directory: string | undefined): CertificatePair | undefined {
  if (directory === undefined) return undefined
  const certificateFile = path.join(directory, 'apiserver.crt')
  const keyFile = path.join(directory, 'apiserver.key')
  return existsSync(certificateFile) && existsSync(keyFile) ? { certificateFile, keyFile } : undefined
}

/** `names`: the server names (SNI) for which clients get this certificate. Empty: the names in the certificate. */
export interface NamedPair extends CertificatePair {
  readonly names: readonly string[]
}

/** Reads `a.crt,a.key:*.example.com,example.com`. Semicolons separate several pairs. */
export function namedPairs(setting: Setting | undefined): readonly NamedPair[] {
  const parts = (setting?.text ?? '').split(';').filter((part) => part.trim() !== '')
  return parts.map((part) => {
    const [files = '', names = ''] = part.split(':', 2)
    const [certificateFile, keyFile, ...more] = files.split(',').map((file) => file.trim())
    if (certificateFile === undefined || keyFile === undefined || keyFile === '' || more.length > 0) {
      throw usageError(
        `${setting?.source}: "${part}" is not CERTIFICATE-FILE,KEY-FILE or CERTIFICATE-FILE,KEY-FILE:NAME,...`,
      )
    }
    return {
      certificateFile: path.resolve(certificateFile),
      keyFile: path.resolve(keyFile),
      names: names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
    }
  })
}

/** `otherwise`: other allowed words, for the message. */
export function integer({ text, source }: Setting, least = 0, most = 999_999_999, otherwise = ''): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw usageError(`${source}: "${text}" is not ${otherwise}an integer from ${least} to ${most}`)
}

export function duration({ text, source }: Setting): number {
  const parsed = parseDuration(text)
  if (!parsed.ok || parsed.nanoseconds < 0n)
    throw usageError(`${source}: "${text}" is not a duration like 90s or 1m30s`)
  return Number(parsed.nanoseconds) / 1e6
}

export function oneOf<T extends string>({ text, source }: Setting, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw usageError(`${source}: "${text}" is not one of ${words.join(', ')}`)
  return word
}

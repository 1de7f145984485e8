// Reads settings as typed values, with the defaults of the table of flags. Errors are one line that names the source.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseDuration } from '../lib/duration.ts'
import { findFlag, FLAGS, type FlagName } from './flags.ts'
import type { Setting, Settings } from './settings.ts'
import { usageError } from './start-error.ts'

export class SettingReader {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  optional(name: FlagName): Setting | undefined {
    const set = this.#settings.get(name)
    if (set !== undefined) return set
    const fallback = findFlag(name)?.fallback
    return fallback === undefined ? undefined : { text: fallback, source: `--${name}` }
  }

  /** Whether it is set, even to the default. */
  isSet(name: FlagName): boolean {
    return this.#settings.has(name)
  }

  required(name: FlagName): Setting {
    const setting = this.optional(name)
    if (setting === undefined || setting.text === '') throw usageError(`--${name} needs a value`)
    return setting
  }

  /** Every flag as it was set, or its default; empty where there is neither. */
  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(FLAGS.map(({ name }) => [name, this.optional(name)?.text ?? '']))
  }

  switch(name: FlagName): boolean {
    const { text, source } = this.required(name)
    const value = parseBoolean(text)
    if (value === undefined) throw usageError(`${source}: "${text}" is not a boolean`)
    return value
  }

  list(name: FlagName): readonly string[] {
    const text = this.optional(name)?.text ?? ''
    return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  }

  file(name: FlagName): string | undefined {
    const text = this.optional(name)?.text ?? ''
    return text === '' ? undefined : path.resolve(text)
  }
}

export function parseBoolean(text: string): boolean | undefined {
  if (/^(true|t|1)$/i.test(text)) return true
  return /^(false|f|0)$/i.test(text) ? false : undefined
}

export interface CertificatePair {
  readonly certificateFile: string
  readonly keyFile: string
}

export function pair(read: SettingReader, certificate: FlagName, key: FlagName): CertificatePair | undefined {
  const certificateFile = read.file(certificate)
  const keyFile = read.file(key)
  if (certificateFile === undefined && keyFile === undefined) return undefined
  if (certificateFile === undefined || keyFile === undefined) {
    const [given, missing] = certificateFile === undefined ? [key, certificate] : [certificate, key]
    throw usageError(`--${given} requires --${missing}`)
  }
  return { certificateFile, keyFile }
}

/** What the reference calls its own files in a directory for them. */
export function pairIn(directory: string | undefined): CertificatePair | undefined {
  if (directory === undefined) return undefined
  const certificateFile = path.join(directory, 'apiserver.crt')
  const keyFile = path.join(directory, 'apiserver.key')
  return existsSync(certificateFile) && existsSync(keyFile) ? { certificateFile, keyFile } : undefined
}

/** For these names by SNI; without any, for the names in the certificate. */
export interface NamedPair extends CertificatePair {
  readonly names: readonly string[]
}

/** `a.crt,a.key:*.example.com,example.com`, several of them separated by semicolons. */
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

export function integer({ text, source }: Setting, least = 0, most = 999_999_999): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw usageError(`${source}: "${text}" is not an integer from ${least} to ${most}`)
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

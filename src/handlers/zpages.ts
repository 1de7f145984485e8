// /statusz and /flagz, as text for people and as objects for programs (R-343, P-473). No secret is shown: flags name files, and
// credentials in URLs are removed.
import type { Value, ValueMap } from '../api/value.ts'
import { encodeCborValue } from '../codec/cbor-encode.ts'
import { indentJson } from '../codec/indent.ts'
import { plainJson } from '../codec/json-encode.ts'
import { negotiatePage, type NamedForm } from '../codec/negotiate.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import type { Handler } from '../http/http.ts'
import { wantsPretty } from '../http/pretty.ts'
import { bytesOf } from '../http/responses.ts'
import { headerOf } from './resource-parts.ts'
import type { VersionInfo } from './version.ts'

const COMPONENT = 'apiserver'
const GROUP = 'config.k8s.io'
const DEPRECATED = 'v1alpha1'

export interface StatuszParts {
  readonly version: VersionInfo
  /** In milliseconds since 1970. */
  readonly startedAt: number
  readonly now: () => number
  /** All served paths, in any order. Paths with the same first part are one entry. */
  readonly paths: readonly string[]
  readonly cbor: boolean
}

export function showStatusz({ version, startedAt, now, paths, cbor }: StatuszParts): Handler {
  const { major, minor, gitVersion, goVersion } = version
  const shown = pagesAmong(paths)
  const binary = gitVersion.replace(/^v/, '')
  const emulated = `${major}.${minor}`
  const started = `${new Date(startedAt).toISOString().slice(0, 19)}Z`
  return showPage('Statusz', cbor, () => {
    const uptime = Math.max(0, Math.floor((now() - startedAt) / 1000))
    return {
      fields: {
        startTime: started,
        uptimeSeconds: uptime,
        goVersion,
        binaryVersion: binary,
        emulationVersion: emulated,
        paths: shown,
      },
      lines: [
        '',
        `Started: ${started}`,
        `Up: ${spelled(uptime)}`,
        `Go version: ${goVersion}`,
        `Binary version: ${binary}`,
        `Emulation version: ${emulated}`,
        `Paths: ${shown.join(' ')}`,
      ],
    }
  })
}

export interface FlagzParts {
  /** Every flag as on the command line. Empty: the flag is not set. */
  readonly flags: Readonly<Record<string, string>>
  readonly cbor: boolean
}

export function showFlagz({ flags, cbor }: FlagzParts): Handler {
  return showPage('Flagz', cbor, () => {
    const shown = Object.entries(flags)
      .map(([name, text]) => [name, withoutCredentials(text)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return { fields: { flags: Object.fromEntries(shown) }, lines: shown.map(([name, text]) => `${name}=${text}`) }
  })
}

interface Page {
  readonly fields: Readonly<Record<string, Value>>
  readonly lines: readonly string[]
}

function showPage(kind: 'Statusz' | 'Flagz', cbor: boolean, page: () => Page): Handler {
  const forms: readonly NamedForm[] = ['v1beta1', DEPRECATED].map((version) => ({ group: GROUP, version, kind }))
  const name = kind.toLowerCase()
  return (request) => {
    const asked = { accept: headerOf(request, 'accept'), contentType: undefined }
    const found = negotiatePage(asked, forms, cbor)
    const { fields, lines } = page()
    if (found.kind === 'text') {
      const text = [`\n${COMPONENT} ${name}`, NOT_FOR_MACHINES, ...lines, ''].join('\n')
      return bytesOf('text/plain; charset=utf-8', Buffer.from(text))
    }
    const { group, version } = found.form
    if (version === DEPRECATED) {
      request.responder.warn(`This version of the ${name} endpoint is deprecated. Please use a newer version.`)
    }
    const document: ValueMap = { kind, apiVersion: `${group}/${version}`, metadata: { name: COMPONENT }, ...fields }
    return bytesOf(found.contentType, encode(document, found.encoding, wantsPretty(request)))
  }
}

const NOT_FOR_MACHINES = 'Warning: this page is for people who look for a fault. Its form may change with any version.'

function encode(document: ValueMap, encoding: 'json' | 'yaml' | 'cbor', pretty: boolean): Buffer {
  if (encoding === 'yaml') return Buffer.from(emitYaml(document))
  if (encoding === 'cbor') return encodeCborValue(document)
  const json = plainJson(document)
  return pretty ? indentJson(Buffer.from(json)) : Buffer.from(`${json}\n`)
}

/** Paths of the API itself are not listed. */
const NO_PAGES: ReadonlySet<string> = new Set(['/', '/api', '/apis', '/debug', '/openapi', '/openid', '/.well-known'])

function pagesAmong(paths: readonly string[]): readonly string[] {
  const roots = paths.map((path) => `/${path.split('/', 2)[1] ?? ''}`)
  return [...new Set(roots)].filter((root) => !NO_PAGES.has(root)).sort()
}

function spelled(seconds: number): string {
  const two = (number: number): string => String(number % 60).padStart(2, '0')
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60))} min ${two(seconds)} sec`
}

function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^/\s]*@/g, '://CLASSIFIED@')
}

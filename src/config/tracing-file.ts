// The TracingConfiguration (P-492).
import path from 'node:path'
import { DocumentFaults } from '../api/document-faults.ts'
import { asMap, textOrEmpty } from '../api/members.ts'
import { jsonText } from '../api/json-text.ts'
import { own, type Value } from '../api/value.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import { readFileAs } from './files.ts'
import type { SettingReader } from './setting-reader.ts'

export interface TracingSettings {
  /** The URL of a collector that speaks OTLP: `http://host:4317` or, for gRPC, `unix:///path`. */
  readonly url: string
  readonly protocol: 'grpc' | 'http'
  /** The sampling of requests without a trace of their own. */
  readonly samplingRatePerMillion: number
}

const GROUP = 'apiserver.config.k8s.io'
const VERSIONS: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${GROUP}/${version}`)
const MILLION = 1_000_000
const DEFAULT_ENDPOINT = 'localhost:4317'

/** Throws a `StartError` of one line. */
export function tracingSettings(read: SettingReader): TracingSettings | undefined {
  const file = read.file('tracing-config-file')
  if (file === undefined) return undefined
  return readFileAs(file, '--tracing-config-file', (text) => readTracingFile(parseYaml(Buffer.from(text)).value))
}

/** Throws an `Error` with every fault. */
export function readTracingFile(document: Value): TracingSettings {
  const root = asMap(document)
  if (own(root, 'kind') !== 'TracingConfiguration' || !VERSIONS.includes(textOrEmpty(root, 'apiVersion'))) {
    throw new Error(`must be a TracingConfiguration of ${VERSIONS[0]}`)
  }
  const faults = new DocumentFaults()
  faults.checkFields(root, ['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion'], '')
  const rate = own(root, 'samplingRatePerMillion') ?? 0
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < 0 || rate > MILLION) {
    faults.invalid('samplingRatePerMillion', jsonText(rate), 'must be an integer from 0 to 1000000')
  }
  const endpoint = textOrEmpty(root, 'endpoint') || DEFAULT_ENDPOINT
  const url = urlOf(endpoint)
  if (url === undefined)
    faults.invalid(
      'endpoint',
      endpoint,
      'must be host:port or unix:///path, or the URL of a collector of OTLP over HTTP',
    )
  if (url === undefined || faults.all.length > 0) throw new Error(faults.all.join('; '))
  return { ...url, samplingRatePerMillion: Number(rate) }
}

/** The reference only takes gRPC without TLS, where `dns:` names are allowed. HTTP URLs are our addition. */
function urlOf(endpoint: string): Pick<TracingSettings, 'url' | 'protocol'> | undefined {
  if (/^https?:\/\//.test(endpoint)) return URL.canParse(endpoint) ? { url: endpoint, protocol: 'http' } : undefined
  const [, socket] = /^unix:(?:\/\/(?=\/))?(.*)$/.exec(endpoint) ?? []
  if (socket !== undefined) return socketUrl(socket)
  const url = `http://${endpoint.replace(/^dns:\/*/, '')}`
  if (!URL.canParse(url)) return undefined
  const { pathname, search, hash } = new URL(url)
  return pathname === '/' && search === '' && hash === '' ? { url, protocol: 'grpc' } : undefined
}

/** gRPC also takes a path that is relative to the server's working directory. */
function socketUrl(socket: string): Pick<TracingSettings, 'url' | 'protocol'> | undefined {
  if (socket === '' || socket.startsWith('//') || /[\s\0]/.test(socket)) return undefined
  return { url: `unix://${path.resolve(socket)}`, protocol: 'grpc' }
}

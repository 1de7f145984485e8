// The configuration of the cluster: the address of this server, services and node ports.
import { isIP } from 'node:net'
import type { ServedVersions } from './runtime-config.ts'
import { type CertificatePair, integer, oneOf, pair, type SettingReader } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export interface ClusterConfig {
  /** The number of simulated nodes. 0: no controllers of workloads run in this process either. */
  readonly nodes: number
  /** Undefined: the default resources of the level are served. */
  readonly served: ServedVersions | undefined
  /** Undefined: the server finds its address. */
  readonly advertiseAddress: string | undefined
  /** `host` or `host:port`. */
  readonly externalHost: string | undefined
  /** Whether every replica keeps its address among the endpoints of the service `kubernetes`. */
  readonly keepsEndpoints: boolean
  /** 0: the service `kubernetes` has no node port. */
  readonly ownNodePort: number
  readonly nodePorts: PortRange
  /** The name of the replica. Undefined: the name of the host. */
  readonly hostname: string | undefined
  /** The connections between replicas. */
  readonly peers: PeerConfig
  readonly kubelets: KubeletConfig
}

export interface KubeletConfig {
  readonly certificate: CertificatePair | undefined
  readonly caFile: string | undefined
  /** The types of node addresses, the preferred one first. */
  readonly addressTypes: readonly string[]
  /** The port of kubelets that do not report one. */
  readonly port: number
}

export interface PeerConfig {
  /** Undefined: the address of the listener. */
  readonly address: string | undefined
  readonly port: number | undefined
  readonly caFile: string | undefined
}

/** The first and the last port belong to the range. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** Each node has a range of 254 addresses for its pods. */
const MOST_NODES = 1000

export function clusterConfig(read: SettingReader, served: ServedVersions | undefined): ClusterConfig {
  const nodePorts = portRange(read.required('service-node-port-range'))
  const advertiseAddress = addressOf(read.optional('advertise-address'))
  return {
    nodes: integer(read.required('nodes'), 0, MOST_NODES),
    served,
    advertiseAddress,
    externalHost: read.optional('external-hostname')?.text ?? advertiseAddress,
    keepsEndpoints: oneOf(read.required('endpoint-reconciler-type'), ['lease', 'none']) === 'lease',
    ownNodePort: ownPort(read.required('kubernetes-service-node-port'), nodePorts),
    nodePorts,
    hostname: hostnameOf(read.optional('hostname-override')),
    peers: peerConfig(read),
    kubelets: {
      certificate: pair(read, 'kubelet-client-certificate', 'kubelet-client-key'),
      caFile: read.file('kubelet-certificate-authority'),
      addressTypes: read.list('kubelet-preferred-address-types'),
      port: integer(read.required('kubelet-port'), 1, 65_535),
    },
  }
}

function addressOf(setting: Setting | undefined): string | undefined {
  if (setting === undefined || setting.text === '') return undefined
  if (isIP(setting.text) === 0) throw usageError(`${setting.source}: "${setting.text}" is not an IP address`)
  return setting.text === '0.0.0.0' || setting.text === '::' ? undefined : setting.text
}

function hostnameOf(setting: Setting | undefined): string | undefined {
  if (setting === undefined || setting.text === '') return undefined
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(setting.text)) {
    throw usageError(`${setting.source}: "${setting.text}" is not the name of a host`)
  }
  return setting.text
}

function peerConfig(read: SettingReader): PeerConfig {
  const port = read.optional('peer-advertise-port')
  return {
    address: addressOf(read.optional('peer-advertise-ip')),
    port: port === undefined || port.text === '' ? undefined : integer(port, 1, 65_535),
    caFile: read.file('peer-ca-file'),
  }
}

/** Reads `30000-32767`, or the first port and the number of further ports: `30000+2767`. */
function portRange({ text, source }: Setting): PortRange {
  const [, from = '', sign, to = ''] = /^(\d{1,5})([-+])(\d{1,5})$/.exec(text) ?? []
  const first = Number(from)
  const last = sign === '+' ? first + Number(to) : Number(to)
  if (from !== '' && first >= 1 && first <= last && last <= 65_535) return { first, last }
  throw usageError(`${source}: "${text}" is not a range of ports like 30000-32767`)
}

function ownPort(setting: Setting, { first, last }: PortRange): number {
  const port = integer(setting, 0, 65_535)
  if (port === 0 || (port >= first && port <= last)) return port
  throw usageError(`${setting.source}: ${port} is not in --service-node-port-range`)
}

/** The address of the server as shown to clients, once it listens. */
export function shownAddress({ externalHost }: ClusterConfig, listening: URL): string {
  if (externalHost === undefined || externalHost === '') return listening.host
  if (isIP(externalHost) === 6) return `[${externalHost}]:${listening.port}`
  return /:\d+$/.test(externalHost) ? externalHost : `${externalHost}:${listening.port}`
}

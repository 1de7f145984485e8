// Warnings about volumes made of keys: two of them that want to be at one path, or one inside of the other.
import type { ValueMap } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import { mapIn, mapsIn, textIn } from './members.ts'

interface Placed {
  readonly path: string
  /** What puts it there, where a volume has several sources. */
  readonly source: string
}

const quoted = JSON.stringify

export function pathWarnings(volume: ValueMap): readonly string[] {
  const name = quoted(textIn(volume, 'name'))
  const told = (what: string, clashes: readonly string[]): readonly string[] =>
    clashes.map((clash) => `volume ${name} (${what}): overlapping paths: ${clash}`)
  const [map, secret] = [mapIn(volume, 'configMap'), mapIn(volume, 'secret')]
  const sources = mapsIn(mapIn(volume, 'projected'), 'sources')
  return [
    ...told(`ConfigMap ${quoted(textIn(map, 'name'))}`, clashesIn(itemsOf(map, ''))),
    ...told(`Secret ${quoted(textIn(secret, 'secretName'))}`, clashesIn(itemsOf(secret, ''))),
    ...told('DownwardAPI', clashesIn(itemsOf(mapIn(volume, 'downwardAPI'), ''))),
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${name} (Projected) has no sources provided`),
    ...told('Projected', clashesIn(sources.flatMap(projectedPaths))),
  ]
}

function itemsOf(source: ValueMap, what: string): readonly Placed[] {
  return mapsIn(source, 'items').map((item) => ({ path: textIn(item, 'path'), source: what }))
}

const CERTIFICATE_PATHS = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const

function projectedPaths(source: ValueMap): readonly Placed[] {
  const [map, secret] = [mapIn(source, 'configMap'), mapIn(source, 'secret')]
  const [token, bundle] = [own(source, 'serviceAccountToken'), own(source, 'clusterTrustBundle')]
  const certificate = mapIn(source, 'podCertificate')
  return [
    ...itemsOf(map, `ConfigMap ${quoted(textIn(map, 'name'))}`),
    ...itemsOf(secret, `Secret ${quoted(textIn(secret, 'name'))}`),
    ...itemsOf(mapIn(source, 'downwardAPI'), 'DownwardAPI'),
    ...(isMap(token) ? [{ path: textIn(token, 'path'), source: 'ServiceAccountToken' }] : []),
    ...(isMap(bundle)
      ? [{ path: textIn(bundle, 'path'), source: `ClusterTrustBundle ${quoted(nameOf(bundle))}` }]
      : []),
    ...CERTIFICATE_PATHS.map(([field, what]) => ({ path: textIn(certificate, field), source: what })),
  ]
}

function nameOf(bundle: ValueMap): string {
  return textIn(bundle, 'name') || textIn(bundle, 'signerName')
}

/** Each path with every earlier one that it is at, above or below of. */
function clashesIn(given: readonly Placed[]): readonly string[] {
  const placed = given.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }))
  return placed.flatMap((later, i) =>
    placed
      .slice(0, i)
      .filter((earlier) => overlap(earlier.path, later.path))
      .map((earlier) => `${shown(later)} with ${shown(earlier)}`),
  )
}

function overlap(a: string, b: string): boolean {
  return a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))
}

function shown({ path, source }: Placed): string {
  return source === '' ? quoted(path) : `${quoted(path)} (${source})`
}

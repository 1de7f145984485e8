// Warnings about overlapping paths in volumes: two files at one path, or one below the other.
import type { Volume, VolumeProjection } from '../../../api/gen/kinds.ts'

interface Placed {
  readonly path: string
  /** The source that has the path, if a volume has several. */
  readonly source: string
}

const quoted = JSON.stringify

export function pathWarnings(volume: Volume): readonly string[] {
  const name = quoted(volume.name)
  const warningsAbout = (what: string, overlaps: readonly string[]): readonly string[] =>
    overlaps.map((overlap) => `volume ${name} (${what}): overlapping paths: ${overlap}`)
  const { configMap: map, secret, downwardAPI, projected } = volume
  const sources = projected?.sources ?? []
  return [
    ...warningsAbout(`ConfigMap ${quoted(map?.name ?? '')}`, overlapsIn(itemsOf(map, ''))),
    ...warningsAbout(`Secret ${quoted(secret?.secretName ?? '')}`, overlapsIn(itemsOf(secret, ''))),
    ...warningsAbout('DownwardAPI', overlapsIn(itemsOf(downwardAPI, ''))),
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${name} (Projected) has no sources provided`),
    ...warningsAbout('Projected', overlapsIn(sources.flatMap(projectedPaths))),
  ]
}

interface WithItems {
  readonly items?: readonly { readonly path: string }[]
}

function itemsOf({ items = [] }: WithItems = {}, source: string): readonly Placed[] {
  return items.map(({ path }) => ({ path, source }))
}

const CERTIFICATE_PATHS = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const

function projectedPaths(source: VolumeProjection): readonly Placed[] {
  const { configMap: map, secret, serviceAccountToken: token, clusterTrustBundle: bundle } = source
  const { podCertificate: certificate } = source
  return [
    ...itemsOf(map, `ConfigMap ${quoted(map?.name ?? '')}`),
    ...itemsOf(secret, `Secret ${quoted(secret?.name ?? '')}`),
    ...itemsOf(source.downwardAPI, 'DownwardAPI'),
    ...(token ? [{ path: token.path, source: 'ServiceAccountToken' }] : []),
    ...(bundle
      ? [{ path: bundle.path, source: `ClusterTrustBundle ${quoted(bundle.name || (bundle.signerName ?? ''))}` }]
      : []),
    ...CERTIFICATE_PATHS.map(([field, what]) => ({ path: certificate?.[field] ?? '', source: what })),
  ]
}

/** The largest number of warnings: more than fit into one response. */
const MAX_WARNINGS = 100

/** Each path with every earlier path that is equal, above or below. Each text occurs once. */
function overlapsIn(given: readonly Placed[]): readonly string[] {
  const placed = given
    .map(({ path, source }) => ({ path: withoutTrailingSlashes(path), source }))
    .filter(({ path }) => path !== '')
  const overlaps: string[] = []
  if (placed.length < 2) return overlaps
  const places = placesOf(placed)
  const entries = new Map<string, Entry>()
  for (const [index, { path, source }] of placed.entries()) {
    const place = places.get(path)!
    const text = source === '' ? quoted(path) : `${quoted(path)} (${source})`
    const known = entries.get(text)
    for (const earlier of overlappingSince(known?.reportedUntil ?? 0, place)) {
      if (overlaps.length === MAX_WARNINGS) return overlaps
      overlaps.push(`${text} with ${earlier.text}`)
    }
    if (known !== undefined) known.reportedUntil = index
    else {
      const entry = { text, first: index, reportedUntil: index }
      entries.set(text, entry)
      place.here.push(entry)
      for (let above = place.above; above !== undefined; above = above.above) above.below.push(entry)
    }
  }
  return overlaps
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** The places of all paths, each with the nearest place above it. */
function placesOf(placed: readonly Placed[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const above: Place[] = []
  // In this order, the paths below a path come right after it.
  for (const path of [...new Set(placed.map(({ path: each }) => `${each}/`))].sort()) {
    while (above.length > 0 && !path.startsWith(above.at(-1)!.path)) above.pop()
    const place: Place = { path, above: above.at(-1), here: [], below: [] }
    places.set(path.slice(0, -1), place)
    above.push(place)
  }
  return places
}

/** A path and its source as warnings show them, and the index at which they occur first. */
interface Entry {
  readonly text: string
  readonly first: number
  /** Overlaps with entries before this index are already reported. */
  reportedUntil: number
}

/** Entries are in order of their index. */
interface Place {
  readonly path: string
  readonly above: Place | undefined
  readonly here: Entry[]
  readonly below: Entry[]
}

/** The entries at, above and below a place from an index on, in order. */
function overlappingSince(since: number, place: Place): readonly Entry[] {
  const found: Entry[] = []
  const take = (entries: readonly Entry[]): void => {
    for (let i = entries.length - 1; i >= 0 && entries[i]!.first >= since; i--) found.push(entries[i]!)
  }
  for (let each: Place | undefined = place; each !== undefined; each = each.above) take(each.here)
  take(place.below)
  return found.sort((a, b) => a.first - b.first)
}

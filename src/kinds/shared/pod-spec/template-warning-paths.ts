// Warnings about volumes made of keys: two of them that want to be at one path, or one inside of the other.
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../../../api/members.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'

interface Placed {
  readonly path: string
  /** What puts it there, where a volume has several sources. */
  readonly source: string
}

const quoted = JSON.stringify

export function pathWarnings(volume: ValueMap): readonly string[] {
  const name = quoted(textOrEmpty(volume, 'name'))
  const told = (what: string, clashes: readonly string[]): readonly string[] =>
    clashes.map((clash) => `volume ${name} (${what}): overlapping paths: ${clash}`)
  const [map, secret] = [mapOrEmpty(volume, 'configMap'), mapOrEmpty(volume, 'secret')]
  const sources = mapsOnly(mapOrEmpty(volume, 'projected'), 'sources')
  return [
    ...told(`ConfigMap ${quoted(textOrEmpty(map, 'name'))}`, clashesIn(itemsOf(map, ''))),
    ...told(`Secret ${quoted(textOrEmpty(secret, 'secretName'))}`, clashesIn(itemsOf(secret, ''))),
    ...told('DownwardAPI', clashesIn(itemsOf(mapOrEmpty(volume, 'downwardAPI'), ''))),
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${name} (Projected) has no sources provided`),
    ...told('Projected', clashesIn(sources.flatMap(projectedPaths))),
  ]
}

function itemsOf(source: ValueMap, what: string): readonly Placed[] {
  return mapsOnly(source, 'items').map((item) => ({ path: textOrEmpty(item, 'path'), source: what }))
}

const CERTIFICATE_PATHS = [
  ['certificateChainPath', 'PodCertificate chain'],
  ['keyPath', 'PodCertificate key'],
  ['credentialBundlePath', 'PodCertificate credential bundle'],
] as const

function projectedPaths(source: ValueMap): readonly Placed[] {
  const [map, secret] = [mapOrEmpty(source, 'configMap'), mapOrEmpty(source, 'secret')]
  const [token, bundle] = [own(source, 'serviceAccountToken'), own(source, 'clusterTrustBundle')]
  const certificate = mapOrEmpty(source, 'podCertificate')
  return [
    ...itemsOf(map, `ConfigMap ${quoted(textOrEmpty(map, 'name'))}`),
    ...itemsOf(secret, `Secret ${quoted(textOrEmpty(secret, 'name'))}`),
    ...itemsOf(mapOrEmpty(source, 'downwardAPI'), 'DownwardAPI'),
    ...(isMap(token) ? [{ path: textOrEmpty(token, 'path'), source: 'ServiceAccountToken' }] : []),
    ...(isMap(bundle)
      ? [{ path: textOrEmpty(bundle, 'path'), source: `ClusterTrustBundle ${quoted(nameOf(bundle))}` }]
      : []),
    ...CERTIFICATE_PATHS.map(([field, what]) => ({ path: textOrEmpty(certificate, field), source: what })),
  ]
}

function nameOf(bundle: ValueMap): string {
  return textOrEmpty(bundle, 'name') || textOrEmpty(bundle, 'signerName')
}

/** More texts of this length than the warnings of an answer have room for. */
const MOST_CLASHES = 100

/** Each path with every earlier one that it is at, above or below of; each text once. */
function clashesIn(given: readonly Placed[]): readonly string[] {
  const placed = given.map(({ path, source }) => ({ path: withoutEnd(path), source })).filter(({ path }) => path !== '')
  const clashes: string[] = []
  if (placed.length < 2) return clashes
  const places = placesOf(placed)
  const things = new Map<string, Thing>()
  for (const [index, { path, source }] of placed.entries()) {
    const place = places.get(path)!
    const text = source === '' ? quoted(path) : `${quoted(path)} (${source})`
    const known = things.get(text)
    for (const earlier of neighboursSince(known?.toldUntil ?? 0, place)) {
      if (clashes.length === MOST_CLASHES) return clashes
      clashes.push(`${text} with ${earlier.text}`)
    }
    if (known !== undefined) known.toldUntil = index
    else {
      const thing = { text, first: index, toldUntil: index }
      things.set(text, thing)
      place.here.push(thing)
      for (let above = place.above; above !== undefined; above = above.above) above.below.push(thing)
    }
  }
  return clashes
}

/** Without the slashes at its end. */
function withoutEnd(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** The places of all paths, each with the nearest one above it. */
function placesOf(placed: readonly Placed[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const above: Place[] = []
  // In this order what is below a path comes right after it.
  for (const path of [...new Set(placed.map(({ path: each }) => `${each}/`))].sort()) {
    while (above.length > 0 && !path.startsWith(above.at(-1)!.path)) above.pop()
    const place: Place = { path, above: above.at(-1), here: [], below: [] }
    places.set(path.slice(0, -1), place)
    above.push(place)
  }
  return places
}

/** What is at a path, as it is shown, and when it was first there. */
interface Thing {
  readonly text: string
  readonly first: number
  /** Until when it has been told of its neighbours. */
  toldUntil: number
}

/** What is here and below stands in the order in which it came. */
interface Place {
  readonly path: string
  readonly above: Place | undefined
  readonly here: Thing[]
  readonly below: Thing[]
}

/** What came since then at, above and below a place, in the order in which it came. */
function neighboursSince(since: number, place: Place): readonly Thing[] {
  const found: Thing[] = []
  const take = (things: readonly Thing[]): void => {
    for (let i = things.length - 1; i >= 0 && things[i]!.first >= since; i--) found.push(things[i]!)
  }
  for (let each: Place | undefined = place; each !== undefined; each = each.above) take(each.here)
  take(place.below)
  return found.sort((a, b) => a.first - b.first)
}

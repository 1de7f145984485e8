// Stack traces that name source files: the command is built to a few files with source maps beside them. A map is read at the first use of
// a trace that needs it. Node's own way reads all maps at every start, which takes a fifth of the processor time of the start.
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { BoundedMap } from './bounded-map.ts'

/** A source map takes a tenth of a second to read, and megabytes of memory. So only the places are kept. */
const KEPT_PLACES = 1000

/** Applies to all later stack traces of the process. */
export function nameSourceFiles(builtFolder: string): void {
  const places = new BoundedMap<string, string>(KEPT_PLACES)
  Error.prepareStackTrace = (error, sites) => {
    const maps = new Map<string, SourceMap>()
    const named = (place: string, file: string, line: string, column: string): string => {
      if (!file.startsWith(builtFolder)) return place
      const found = places.get(place) ?? placeIn(maps, file, Number(line), Number(column)) ?? place
      places.set(place, found)
      return found
    }
    const title = Error.prototype.toString.call(error)
    if (sites.length === 0) return title
    // Call sites have a text, although their declared type has no `toString`.
    const frames = (sites as readonly { toString(): string }[]).join('\n    at ').replaceAll(placePattern(), named)
    return `${title}\n    at ${frames}`
  }
}

/** The text with places in built files replaced by places in the sources. */
export function inSources(text: string): string {
  const maps = new Map<string, SourceMap>()
  return text.replaceAll(
    placePattern(),
    (place, file: string, line: string, column: string) => placeIn(maps, file, Number(line), Number(column)) ?? place,
  )
}

function placePattern(): RegExp {
  return /(file:[^\s()]+\.js):(\d+):(\d+)/g
}

function placeIn(maps: Map<string, SourceMap>, file: string, line: number, column: number): string | undefined {
  try {
    const map =
      maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapPayload)
    maps.set(file, map)
    const origin = map.findOrigin(line, column)
    return 'fileName' in origin
      ? `${new URL(origin.fileName, file).href}:${origin.lineNumber}:${origin.columnNumber}`
      : undefined
  } catch {
    // There is no map, or it cannot be read now. The place in the built file is better than none.
    return undefined
  }
}

// Paths without symbolic links, to find out whether two names are one file.
import { realpathSync } from 'node:fs'
import path from 'node:path'

/** The absolute path, with every link resolved. The last parts need not exist. */
export function realPath(place: string): string {
  const absolute = path.resolve(place)
  const above = path.dirname(absolute)
  try {
    return realpathSync(absolute)
  } catch {
    return above === absolute ? absolute : path.join(realPath(above), path.basename(absolute))
  }
}

/** Whether the place is the directory or lies in it. Both paths are real. */
export function isWithin(directory: string, place: string): boolean {
  return place === directory || place.startsWith(path.join(directory, path.sep))
}

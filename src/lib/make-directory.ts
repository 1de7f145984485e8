// Makes a directory and its parents. Node's own way (`recursive`) never ends if nothing can be made in an existing directory, such as /proc: the
// system says that the new directory "does not exist", and Node takes that for a missing parent.
import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** True: the directory was made. False: it existed. Throws the system's error if it cannot be made, or if the path is not a directory. */
export function makeDirectory(directory: string, mode = 0o777): boolean {
  const missing: string[] = []
  let there = path.resolve(directory)
  while (statSync(there, { throwIfNoEntry: false }) === undefined && path.dirname(there) !== there) {
    missing.push(there)
    there = path.dirname(there)
  }
  if (missing.length === 0) missing.push(there)
  let isNew = false
  for (const each of missing.toReversed()) isNew = makeOne(each, mode)
  return isNew
}

function makeOne(directory: string, mode: number): boolean {
  try {
    mkdirSync(directory, { mode })
    return true
  } catch (error) {
    // The directory exists: another process made it, or it existed before. The system's error need not be `EEXIST`.
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return false
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ENOENT' ? new Error('nothing can be created there', { cause: error }) : error
  }
}

// A program that is built once from its Go module, and kept in a cache outside the checkout.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGo } from './go-toolchain.ts'
import { cacheFile, makeOnce } from './made-once.ts'

export interface GoProgram {
  readonly name: string
  readonly module: string
  /** Where the program is in it: `/cmd/x`. */
  readonly folder: string
  readonly version: string
  /** What it is built with or without. */
  readonly tags?: string
}

/** Where the program is, or will be. `group` is its folder in the cache. */
export function goProgramPath(group: string, { name, version }: GoProgram): string {
  return cacheFile(group, `${name}-go-${version}-${process.arch}`)
}

/** The path of the program. Throws what Go says where it cannot be built. */
export async function buildGoProgram(group: string, program: GoProgram): Promise<string> {
  const { name, module, folder: place, version, tags = '' } = program
  const path = goProgramPath(group, program)
  await makeOnce(path, async (folder) => {
    await writeFile(join(folder, 'go.mod'), `module quarterdeck/test\n\ngo 1.24\n\nrequire ${module} v${version}\n`)
    const how = ['-mod=mod', '-trimpath', '-ldflags=-s -w', `-tags=${tags}`]
    await runGo(['build', ...how, '-o', name, `${module}${place}`], folder)
    return name
  })
  return path
}

// The rules about who imports whom: layers, doors, the rooms of packages, cycles, files that nobody needs. Pure: sources in, violations out.
import path from 'node:path'
import { BEGINNINGS, MAX_ROOMS, MAX_SERVER_FILES, PACKAGE_ROOMS, type Room, ROOMS, TOP_FILES } from './rooms.ts'
import type { SourceFile } from './source.ts'

/** One line a person can act on: the path of a file, and what is wrong with it. */
export type Violation = string

/** The room that a file of src/ stands in; undefined for the files outside of the rooms and for everything else. */
function roomOf(file: string): string | undefined {
  const [top, room, ...rest] = file.split('/')
  return top === 'src' && rest.length > 0 ? room : undefined
}

/** The file that a relative import means. Extensions are written out, so no search is needed. */
function resolve(from: string, specifier: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier))
}

function targetsOf(file: SourceFile): string[] {
  return file.imports.filter((name) => name.startsWith('.')).map((name) => resolve(file.path, name))
}

/** Says which version this is. */
const MANIFEST = 'package.json'

/** The size of the house, and the order of its rooms: each imports only rooms that stand before it in `rooms.ts`. */
export function checkHouse(
  files: readonly SourceFile[],
  rooms: Readonly<Record<string, Pick<Room, 'mayImport'>>> = ROOMS,
): Violation[] {
  const names = Object.keys(rooms)
  const inServer = files.filter(({ path }) => roomOf(path) === 'server').length
  return [
    ...(names.length > MAX_ROOMS ? [`there are ${names.length} rooms, more than ${MAX_ROOMS}`] : []),
    ...(inServer > MAX_SERVER_FILES ? [`src/server: has ${inServer} files, more than ${MAX_SERVER_FILES}`] : []),
    ...Object.entries(rooms).flatMap(([name, { mayImport }], at) =>
      mayImport
        .filter((other) => !names.slice(0, at).includes(other))
        .map((other) => `${name}: stands before ${other}`),
    ),
  ]
}

export function checkLayers(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path)
    const allowed = room === undefined ? TOP_FILES[file.path.slice('src/'.length)] : ROOMS[room]?.mayImport
    if (allowed === undefined) return [`${file.path}: stands in no room of test/architecture/rooms.ts`]
    return targetsOf(file).flatMap((target) => {
      const other = roomOf(target)
      if (target === MANIFEST && room === 'telemetry') return []
      if (!target.startsWith('src/')) return [`${file.path}: imports ${target}, which is outside of src/`]
      if (other === room && room !== undefined) return []
      if (other !== undefined && allowed.includes(other)) return []
      return [`${file.path}: ${room ?? 'a file outside of the rooms'} may not import ${other ?? target}`]
    })
  })
}

/** Whether a file may be imported from outside of its room. */
function isDoor(target: string): boolean {
  const [, name = '', ...inside] = target.split('/')
  const room = ROOMS[name]
  if (room === undefined) return true
  const within = inside.join('/')
  if (room.sideDoors?.includes(within) === true) return true
  if (inside.length === 1) return room.entrance === 'words' || within === `${name}.ts`
  return room.sharedFolders === undefined && inside.at(-1) === `${inside.at(-2)}.ts`
}

export function checkDoors(files: readonly SourceFile[]): Violation[] {
  const missing = Object.entries(ROOMS)
    .filter(([name, room]) => room.entrance === 'front' && files.some((file) => roomOf(file.path) === name))
    .filter(([name]) => !files.some((file) => file.path === `src/${name}/${name}.ts`))
    .map(([name]) => `src/${name}: has no front door ${name}.ts`)
  const passed = files.flatMap((file) =>
    targetsOf(file)
      .filter((target) => roomOf(target) !== roomOf(file.path) && !isDoor(target))
      .map((target) => `${file.path}: imports ${target}, which is not a door of its room`),
  )
  return [...missing, ...passed]
}

/** The folder directly below its room that a file stands in; undefined for files of the room itself. */
function folderOf(file: string): string | undefined {
  const [, , folder, ...rest] = file.split('/')
  return rest.length > 0 ? folder : undefined
}

/** Where a room keeps its folders apart: nothing of one is needed in another but what is shared. */
export function checkFolders(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path)
    const shared = room === undefined ? undefined : ROOMS[room]?.sharedFolders
    const own = folderOf(file.path)
    if (shared === undefined || own === undefined) return []
    return targetsOf(file)
      .filter((target) => roomOf(target) === room)
      .filter((target) => ![undefined, own, ...shared].includes(folderOf(target)))
      .map((target) => `${file.path}: imports ${target}, which is of another folder and not shared`)
  })
}

/** `@grpc/grpc-js` of `@grpc/grpc-js/build/x.js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export function checkPackages(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) =>
    file.imports.flatMap((specifier) => {
      const rooms = PACKAGE_ROOMS[packageOf(specifier)]
      const room = roomOf(file.path)
      if (specifier.startsWith('.') || rooms === undefined || rooms.includes(room ?? '')) return []
      return [`${file.path}: imports ${specifier}, which belongs to ${rooms.join(' and ')}`]
    }),
  )
}

/** Every group of files that can reach each other, by Tarjan's algorithm; type imports count. */
export function checkCycles(files: readonly SourceFile[]): Violation[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]))
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const found: Violation[] = []
  const visit = (file: string): number => {
    const mine = order.size
    order.set(file, mine)
    low.set(file, mine)
    open.push(file)
    const targets = edges.get(file) ?? []
    for (const target of targets) {
      const reached = order.has(target) ? (open.includes(target) ? order.get(target)! : mine) : visit(target)
      low.set(file, Math.min(low.get(file)!, reached))
    }
    if (low.get(file) === mine) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1 || targets.includes(file)) found.push(`${group.join(' ⇄ ')}: import each other`)
    }
    return low.get(file)!
  }
  for (const file of edges.keys()) if (!order.has(file)) visit(file)
  return found
}

/** What only a test imports is not part of the product. */
export function checkReached(files: readonly SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const reached = new Set(BEGINNINGS)
  // A set that grows while it is walked over is walked to its new end.
  for (const file of reached) {
    const source = byPath.get(file)
    if (source !== undefined) for (const target of targetsOf(source)) reached.add(target)
  }
  return files.filter(({ path }) => !reached.has(path)).map(({ path }) => `${path}: is needed by nothing that runs`)
}

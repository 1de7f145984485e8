// The plan of src/ as data: what each room may import, through which doors it is entered, and the few exceptions with
// their reasons. `src/README.md` explains it; the rules that read it are in `layer-rules.ts` and `form-rules.ts`.

export interface Room {
  /** The rooms that it may import, type imports included. Node and packages are open to all but for `PACKAGE_ROOMS`. */
  readonly mayImport: readonly string[]
  /**
   * What other rooms may import of it. `front`: the file named after the room. `words`: every file directly in the
   * folder, for rooms that are vocabularies of independent words. A folder inside a room has a front door of its own.
   */
  readonly entrance: 'front' | 'words'
  /** Further files that may be entered from outside, relative to the room. */
  readonly sideDoors?: readonly string[]
  /**
   * Its folders are apart from each other: files of the room itself may import all of them, a folder only itself, the files of
   * the room and the folders named here. None has a door to other rooms.
   */
  readonly sharedFolders?: readonly string[]
}

/** Bottom to top. */
const BELOW_SERVER: Readonly<Record<string, Room>> = {
  lib: { mayImport: [], entrance: 'words' },
  client: { mayImport: ['lib'], entrance: 'front' },
  runtime: { mayImport: ['lib'], entrance: 'words' },
  wire: { mayImport: ['lib', 'runtime'], entrance: 'words' },
  pki: { mayImport: ['lib'], entrance: 'words' },
  api: { mayImport: ['lib'], entrance: 'words' },
  cel: { mayImport: ['lib'], entrance: 'front' },
  schema: {
    mayImport: ['lib', 'api', 'cel'],
    entrance: 'words',
    // What rules are written with, for those who write them.
    sideDoors: [
      'defaults/rule.ts',
      ...['check', 'formats', 'labels', 'object-meta', 'rules'].map((name) => `validation/${name}.ts`),
    ],
  },
  codec: {
    mayImport: ['lib', 'wire', 'api', 'schema'],
    entrance: 'words',
    // What columns are written with, for those who write them.
    sideDoors: ['column', 'elapsed', 'reading'].map((name) => `tables/${name}.ts`),
  },
  kv: { mayImport: ['lib', 'wire'], entrance: 'front', sideDoors: ['embedded/memory.ts'] },
  outgoing: { mayImport: ['lib', 'api'], entrance: 'words' },
  auth: { mayImport: ['lib', 'pki', 'api'], entrance: 'words' },
  audit: { mayImport: ['lib', 'api', 'auth'], entrance: 'words' },
  flow: {
    mayImport: ['lib', 'api', 'auth'],
    entrance: 'front',
    sideDoors: ['priority-and-fairness.ts', 'in-flight.ts', 'bootstrap.ts', 'dump.ts'],
  },
  admission: { mayImport: ['lib', 'pki', 'api', 'schema', 'cel', 'outgoing', 'auth'], entrance: 'words' },
  patch: { mayImport: ['lib', 'api', 'schema'], entrance: 'words' },
  offload: { mayImport: ['lib', 'api', 'schema', 'codec', 'patch'], entrance: 'front' },
  store: { mayImport: ['lib', 'wire', 'api', 'codec', 'kv'], entrance: 'words' },
  cache: { mayImport: ['lib', 'runtime', 'api', 'codec', 'store'], entrance: 'front', sideDoors: ['measures.ts'] },
  registry: {
    mayImport: ['lib', 'api', 'schema', 'codec', 'admission', 'patch', 'offload', 'store'],
    entrance: 'words',
  },
  kinds: {
    mayImport: ['lib', 'pki', 'api', 'cel', 'schema', 'codec', 'outgoing', 'auth', 'registry'],
    entrance: 'front',
    sharedFolders: ['shared'],
  },
  http: { mayImport: ['lib', 'runtime', 'wire', 'api', 'codec', 'auth', 'audit', 'flow'], entrance: 'words' },
  handlers: { mayImport: ['lib', 'api', 'codec', 'patch', 'offload', 'registry', 'http'], entrance: 'words' },
  plugins: {
    mayImport: ['lib', 'pki', 'api', 'schema', 'cel', 'outgoing', 'auth', 'admission'],
    entrance: 'words',
  },
  informers: {
    mayImport: ['lib', 'api', 'outgoing', 'auth', 'admission', 'store', 'cache', 'registry', 'plugins'],
    entrance: 'words',
  },
  controllers: {
    mayImport: ['lib', 'api', 'kv', 'outgoing', 'store', 'registry', 'kinds', 'informers'],
    entrance: 'words',
  },
  faults: { mayImport: ['lib', 'api', 'codec', 'kv', 'store', 'registry', 'http'], entrance: 'front' },
  define: { mayImport: ['api', 'codec'], entrance: 'front' },
  extensions: {
    mayImport: ['lib', 'client', 'api', 'outgoing'],
    entrance: 'front',
    sideDoors: ['registration.ts', 'in-process.ts'],
  },
  config: { mayImport: ['lib', 'api', 'cel', 'schema', 'codec', 'outgoing', 'auth'], entrance: 'words' },
  telemetry: { mayImport: ['lib', 'wire', 'api', 'http', 'handlers'], entrance: 'words' },
  aggregation: {
    mayImport: ['lib', 'api', 'schema', 'codec', 'outgoing', 'store', 'registry', 'kinds', 'http', 'informers'],
    entrance: 'words',
  },
}

/** Every room; the top ones put the others together and so may import them all. */
export const ROOMS: Readonly<Record<string, Room>> = {
  ...BELOW_SERVER,
  server: { mayImport: Object.keys(BELOW_SERVER), entrance: 'words' },
  library: { mayImport: [...Object.keys(BELOW_SERVER), 'server'], entrance: 'front' },
  testing: { mayImport: ['api', 'client', 'codec', 'library'], entrance: 'front' },
  commands: { mayImport: [...Object.keys(BELOW_SERVER), 'server', 'library'], entrance: 'front' },
}

/** The files that stand outside of the rooms, and what they may import. */
export const TOP_FILES: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['lib', 'runtime', 'server', 'commands'],
  'index.ts': ['library'],
}

/** Where a run begins: the command, its thread, the library, and what `make generate` calls. Every file is reached from one of them. */
export const BEGINNINGS: readonly string[] = [
  'src/main.ts',
  'src/offload/thread.ts',
  'src/index.ts',
  'src/client/client.ts',
  'src/define/define.ts',
  'src/testing/testing.ts',
  'src/extensions/extensions.ts',
  'src/schema/compile/write-compiled.ts',
]

/** Packages and Node modules that belong to certain rooms, so that replacing one is a matter of that room. */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  '@grpc/grpc-js': ['store'],
  lmdb: ['kv'],
  protobufjs: ['schema'],
  ws: ['http'],
  'node:http2': ['client'],
  pino: ['server'],
}

export const MAX_LINES = 400

/** Files that may be longer, and why. */
export const LONG_FILES: Readonly<Record<string, string>> = {}

/** Words that say nothing about what a file is for. */
export const EMPTY_WORDS: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager']

/** Folders under src/ and test/ whose files are made by a tool or recorded, and are not held to the rules of form. */
export const UNRULED_FOLDERS: readonly string[] = ['gen', 'fixtures', 'scenarios']

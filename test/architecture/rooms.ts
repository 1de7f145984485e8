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
  lib: {
    mayImport: [],
    entrance: 'words',
    sideDoors: ['collector', 'compilers', 'count-keys', 'idle-memory', 'read-socket', 'thread-priority'].map(
      (name) => `runtime/${name}.ts`,
    ),
  },
  client: { mayImport: ['lib'], entrance: 'front', sideDoors: ['kubeconfig.ts'] },
  wire: { mayImport: ['lib'], entrance: 'words' },
  pki: { mayImport: ['lib'], entrance: 'words' },
  api: { mayImport: ['lib'], entrance: 'words', sideDoors: ['gen/kinds.ts'] },
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
  kv: {
    mayImport: ['lib', 'wire'],
    entrance: 'front',
    sideDoors: [
      'embedded/memory.ts',
      'embedded/copy.ts',
      'link/link-server.ts',
      'etcd/copy.ts',
      'copy.ts',
      'damaged-value.ts',
      'key-order.ts',
      'key-text.ts',
      'maintenance.ts',
      ...[
        'backup-error',
        'backup-reader',
        'backup-writer',
        'checked-pages',
        'header',
        'restore',
        'seal',
        'unfinished',
      ].map((name) => `backup/${name}.ts`),
    ],
  },
  outgoing: { mayImport: ['lib', 'api'], entrance: 'words' },
  auth: { mayImport: ['lib', 'pki', 'api', 'outgoing'], entrance: 'words' },
  audit: { mayImport: ['lib', 'api', 'auth'], entrance: 'words' },
  flow: {
    mayImport: ['lib', 'api', 'auth'],
    entrance: 'front',
    sideDoors: ['priority-and-fairness.ts', 'in-flight.ts', 'bootstrap.ts', 'dump.ts'],
  },
  admission: { mayImport: ['lib', 'pki', 'api', 'schema', 'cel', 'outgoing', 'auth'], entrance: 'words' },
  patch: { mayImport: ['lib', 'api', 'schema'], entrance: 'words' },
  store: { mayImport: ['lib', 'wire', 'api', 'codec', 'kv'], entrance: 'words' },
  cache: {
    mayImport: ['lib', 'api', 'codec', 'store'],
    entrance: 'front',
    sideDoors: ['measures.ts', 'cache-check.ts'],
  },
  registry: {
    mayImport: ['lib', 'api', 'schema', 'codec', 'admission', 'patch', 'store'],
    entrance: 'words',
  },
  kinds: {
    mayImport: ['lib', 'pki', 'api', 'cel', 'schema', 'codec', 'outgoing', 'auth', 'store', 'registry'],
    entrance: 'front',
    sideDoors: ['foreign-objects.ts', 'other-levels.ts'],
    sharedFolders: ['shared'],
  },
  http: { mayImport: ['lib', 'wire', 'api', 'codec', 'auth', 'audit', 'flow'], entrance: 'words' },
  handlers: { mayImport: ['lib', 'api', 'codec', 'outgoing', 'patch', 'registry', 'http'], entrance: 'words' },
  threads: {
    mayImport: [
      'lib',
      'api',
      'schema',
      'codec',
      'auth',
      'audit',
      'admission',
      'store',
      'registry',
      'kinds',
      'http',
      'handlers',
    ],
    entrance: 'words',
  },
  console: { mayImport: ['lib', 'api', 'auth', 'http'], entrance: 'front' },
  plugins: {
    mayImport: ['lib', 'pki', 'api', 'schema', 'cel', 'outgoing', 'auth', 'admission'],
    entrance: 'words',
  },
  controllers: {
    mayImport: [
      'lib',
      'wire',
      'api',
      'schema',
      'codec',
      'kv',
      'outgoing',
      'auth',
      'admission',
      'store',
      'cache',
      'registry',
      'kinds',
      'plugins',
    ],
    entrance: 'words',
  },
  define: { mayImport: ['api', 'codec'], entrance: 'front' },
  extensions: {
    mayImport: ['lib', 'client', 'api', 'outgoing'],
    entrance: 'front',
    sideDoors: ['registration.ts', 'in-process.ts', 'kept-functions.ts', 'folder.ts'],
  },
  config: {
    mayImport: ['lib', 'pki', 'api', 'cel', 'schema', 'codec', 'outgoing', 'auth', 'http', 'plugins'],
    entrance: 'words',
  },
  telemetry: {
    mayImport: ['lib', 'wire', 'api', 'auth', 'http', 'handlers', 'config'],
    entrance: 'words',
    sideDoors: ['answer-pages', 'listeners'].map((name) => `management/${name}.ts`),
  },
  workers: {
    mayImport: ['lib', 'api', 'outgoing', 'flow', 'http', 'handlers', 'controllers', 'telemetry'],
    entrance: 'front',
    sideDoors: ['measures.ts', 'supervisor-link.ts', 'peers.ts', 'worker-answers.ts', 'replicas.ts'],
  },
}

/** Every room; the top ones put the others together and so may import them all. */
export const ROOMS: Readonly<Record<string, Room>> = {
  ...BELOW_SERVER,
  server: { mayImport: Object.keys(BELOW_SERVER), entrance: 'words' },
  library: { mayImport: [...Object.keys(BELOW_SERVER), 'server'], entrance: 'front' },
  commands: { mayImport: [...Object.keys(BELOW_SERVER), 'server', 'library'], entrance: 'front' },
}

export const MAX_ROOMS = 33
/** It puts the rooms together and has no other responsibility. */
export const MAX_SERVER_FILES = 35

/** The files that stand outside of the rooms, and what they may import. */
export const TOP_FILES: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['lib', 'server', 'commands'],
  'index.ts': ['library'],
}

/** Where a run begins: the command, its thread, the console's pages, the library, and what `make generate` calls. Every file is reached from one of them. */
export const BEGINNINGS: readonly string[] = [
  'src/main.ts',
  'src/threads/write-thread.ts',
  'src/console/web/main.tsx',
  'src/index.ts',
  'src/client/client.ts',
  'src/define/define.ts',
  'src/library/testing/testing.ts',
  'src/extensions/extensions.ts',
  'src/extensions/process.ts',
  'src/schema/compile/write-compiled.ts',
]

/** Packages and Node modules that belong to certain rooms, so that replacing one is a matter of that room. */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  '@grpc/grpc-js': ['store', 'telemetry'],
  lmdb: ['kv'],
  protobufjs: ['schema'],
  ws: ['http', 'controllers'],
  preact: ['console'],
  uplot: ['console'],
  'node:http2': ['client'],
  pino: ['telemetry'],
  fastify: ['telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/sdk-trace': ['telemetry'],
}

/**
 * Files and folders that go by the system's time instead of the clock that they are given, and why. A server whose time is moved must not
 * break off what is under way, and everything else has to move with it.
 */
export const SYSTEM_TIME: Readonly<Record<string, string>> = {
  'src/lib/clock.ts': 'is where it comes from',
  'src/lib/backoff.ts': 'waits for other servers',
  'src/lib/compile-cache.ts': 'is about this process',
  'src/console/web/': 'runs in browsers',
  'src/client/': 'has the time of the program that uses it, where it is given no other',
  'src/wire/': 'waits for sockets',
  'src/http/': 'waits for sockets, and holds requests to their deadlines',
  'src/outgoing/': 'waits for other servers',
  'src/kv/etcd/': 'waits for etcd',
  'src/kv/link/link-outbox.ts': 'gathers what is written to a socket',
  'src/kv/serve/serve.ts': 'where it is given none',
  'src/kv/embedded/memory.ts': 'where it is given none',
  'src/kv/embedded/embedded.ts': 'where it is given none',
  'src/cache/cache.ts': 'where it is given none',
  'src/cache/key-turns.ts': 'holds back requests that are under way',
  'src/pki/': 'makes certificates, which OpenSSL judges by it',
  'src/threads/': 'is about threads of this process',
  'src/telemetry/': 'measures this process',
  'src/workers/': 'is about processes of this machine',
  'src/store/encryption/': 'keys are kept by other servers',
  'src/audit/log-file.ts': 'gathers what is written to a file',
  'src/config/reloaded-files.ts': 'looks at files',
  'src/controllers/informer.ts': 'waits for the storage',
  'src/kinds/custom/definition-table.ts': 'holds back requests that are under way',
  'src/library/testing/': 'has the time of the program that uses it',
  'src/library/time.ts': 'where it is told to',
  'src/commands/': 'is about one run of a command',
  'src/extensions/': 'waits for functions as for other servers',
  'src/library/faults/faults.ts': 'holds up requests that are under way',
  'src/server/foundation.ts': 'where it is given none',
  'src/server/server.ts': 'when it stops',
  'src/server/supervisor.ts': 'when it stops',
  'src/server/worker.ts': 'how long it goes on when its supervisor is gone',
  'src/server/service.ts': 'measures this process',
  'src/server/storage.ts': 'looks after a disk',
  'src/server/admission.ts': 'admission waits while a request is under way',
  'src/server/optional-plugins.ts': 'admission waits while a request is under way',
  'src/server/flow-control.ts': 'holds back requests that are under way',
  'src/server/resource-api.ts': 'requests wait for what is stored',
  'src/config/authorization-webhooks.ts': 'waits for other servers',
  'src/config/token-issuers.ts': 'waits for other servers',
  'src/config/jwt-issuers.ts': 'waits for other servers',
  'src/server/audit.ts': 'writes to files and other servers',
  'src/config/certificates.ts': 'looks at certificates, which OpenSSL judges by it',
  'src/server/trust.ts': 'looks at certificates, which OpenSSL judges by it',
  'src/server/encryption.ts': 'keys are kept by other servers',
  'src/lib/runtime/idle-memory.ts': 'is about this process',
  'src/lib/runtime/heap-growth.ts': 'is about this process',
  'src/cache/cache-check.ts': 'is about this process',
  'src/telemetry/logger.ts': 'tells operators when it was',
}

/** The same for chance that does not follow from the seed. What is secret never does, and is not held to this. */
export const SYSTEM_CHANCE: Readonly<Record<string, string>> = {
  'src/lib/random.ts': 'is where it comes from',
  'src/lib/backoff.ts': 'keeps clients from coming all at once',
  'src/client/': 'is not the server',
  'src/http/filters/availability.ts': 'spreads connections',
  'src/controllers/service-resolver.ts': 'spreads calls',
  'src/admission/webhook/call.ts': 'is only told to webhooks',
  'src/kinds/custom/conversion-webhook.ts': 'is only told to webhooks',
  'src/store/encryption/': 'is only told to the keeper of keys',
  'src/kv/etcd/': 'is only told to etcd',
}

export const MAX_LINES = 400

/** Files that may be longer, and why. */
export const LONG_FILES: Readonly<Record<string, string>> = {}

/** Words that say nothing about what a file is for. */
export const EMPTY_WORDS: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager']

/** So many files of `kinds`, `plugins` and `controllers` read fields by their names. The others read them through types. */
export const MOST_UNTYPED_FILES = 25

/** Folders under src/ and test/ whose files are made by a tool or recorded, and are not held to the rules of form. */
export const UNRULED_FOLDERS: readonly string[] = ['gen', 'fixtures', 'scenarios']

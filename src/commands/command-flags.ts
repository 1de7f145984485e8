// The table of all commands and subcommands with their flags. The parser, the manuals, shell completion and the list of flags use it.
// Several commands share rows of `quarterdeck serve`.
import { count, file, type Flag, type FlagRow, flagsOf, list, off, oneOf, port, text } from '../config/flag.ts'
import { findFlag, FLAGS, type FlagName } from '../config/flags.ts'
import { MANAGEMENT_FLAGS } from '../config/flags-management.ts'
import { parseBoolean, SettingReader } from '../config/setting-reader.ts'
import { readFlags, type Setting } from '../config/settings.ts'
import { usageError } from '../config/start-error.ts'

const GROUP = 'Flags'

function short(letter: string, row: FlagRow): FlagRow {
  return { ...row, short: letter }
}

/** The rows of these flags in `quarterdeck serve`. */
function shared<Name extends FlagName>(...names: readonly Name[]): readonly (Flag & { readonly name: Name })[] {
  return names.map((name) => ({ ...findFlag(name)!, name, group: GROUP }))
}

const ETCD = shared('etcd-prefix', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'dev')

/** The place of the data. The environment and the file of `quarterdeck serve` count too. */
export const STORAGE = [...shared('data-dir', 'etcd-servers', 'config'), ...ETCD] as const

const SERVER = flagsOf(GROUP, {
  kubeconfig: file(
    'The kubeconfig with the address of the server and the credentials. Default: the files in KUBECONFIG, the service account of a pod, or ~/.kube/config.',
  ),
  context: text('NAME', 'The context of the kubeconfig. Default: the current context.'),
})

const OBJECT = flagsOf(GROUP, {
  namespace: short('n', text('NAMESPACE', 'The namespace of the object.', 'default')),
})

const STATUS = flagsOf(GROUP, {
  filename: short('f', file('A file with a Status, or with the text that kubectl printed. Default: standard input.')),
})

const OVERWRITE = flagsOf(GROUP, { overwrite: off('Replace an existing file.') })

const KEY = flagsOf(GROUP, {
  'encryption-key-file': file('The key of the backup: 32 random bytes in base64 (head -c 32 /dev/urandom | base64).'),
})

const LOWER_REVISIONS = flagsOf(GROUP, {
  'lower-revisions': off(
    'Do not raise the revisions of the new store above the revisions of the old store. This saves time with etcd, where each revision takes a write. Afterwards, restart every client of the old store, controllers included. A client that remembers a higher resourceVersion gets errors or misses changes.',
  ),
})

const ENCODINGS: readonly string[] = ['json', 'yaml', 'protobuf', 'cbor', 'cbor-seq']

/** The arguments of a command, for completion: files, directories or words. */
type Operand = Pick<Flag, 'kind' | 'values'>

interface CommandRow<Name extends string = string> {
  readonly flags: readonly (Flag & { readonly name: Name })[]
  readonly operand?: Operand
}

function takes<Name extends string>(flags: CommandRow<Name>['flags'], operand?: Operand): CommandRow<Name> {
  return operand === undefined ? { flags } : { flags, operand }
}

const FILES: Operand = { kind: 'file' }

function words(...values: readonly string[]): Operand {
  return { kind: 'text', values }
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Keys are the words on the command line. */
export const COMMAND_FLAGS = {
  serve: takes(FLAGS),
  store: takes([]),
  'store serve': takes([
    ...shared('data-dir', 'in-memory'),
    ...shared(...MANAGEMENT_FLAGS.map(({ name }) => name)),
    ...flagsOf(GROUP, {
      'listen-client-urls': text(
        'URL',
        'The URL to listen at: an http: URL with a loopback address, an https: URL, or unix:///PATH.',
        'http://127.0.0.1:2379',
      ),
      'cert-file': file(
        'The certificate for an https: URL, in PEM. The certificate, its key and the CA bundle are reloaded when their files change, and at a SIGHUP.',
      ),
      'key-file': file('The private key of --cert-file.'),
      'trusted-ca-file': file(
        'CA bundle. Clients must show a certificate of one of its authorities. Default: every client is accepted, and a warning is printed.',
      ),
      'quota-backend-bytes': count(
        'Maximum size of the store in bytes. Writes are refused while the store is larger. 0: no limit but the disk.',
        '0',
      ),
    }),
  ]),
  test: takes([
    ...FLAGS,
    ...flagsOf(GROUP, {
      'print-requests': count('Number of requests that are printed if the command fails; 0 for none.', '20'),
    }),
  ]),
  convert: takes(
    [
      ...flagsOf(GROUP, {
        from: oneOf(ENCODINGS, text('TYPE', 'The encoding of the files, or its media type.')),
        to: oneOf([...ENCODINGS, 'table'], text('TYPE', 'The encoding to write, or its media type.')),
        out: {
          kind: 'directory',
          help: 'Directory for the converted files, which keep their names. Default: standard output.',
        },
      }),
      ...OVERWRITE,
    ],
    FILES,
  ),
  check: takes([], FILES),
  define: takes(
    flagsOf(GROUP, {
      check: file('Compare the definitions with the definitions in this file, and write nothing. - is standard input.'),
    }),
    FILES,
  ),
  'lint-rbac': takes([], FILES),
  'record-role': takes(
    flagsOf(GROUP, {
      follow: short(
        'f',
        off(
          'Read new lines of the files until Ctrl-C (SIGINT) or SIGTERM, even after a rotation of the files. Then write the roles. Standard input is read to its end: kubectl logs -f POD | quarterdeck record-role -f',
        ),
      ),
      user: text('NAME', 'The user whose requests count. Default: the only user in the log.'),
      name: text('NAME', 'The name of the roles.', 'recorded'),
      bind: off('Also write bindings of the roles to the user.'),
      'any-name': off(
        'Allow the recorded verbs for objects of every name. Default: only for objects whose names are in the log.',
      ),
    }),
    FILES,
  ),
  apply: takes([
    ...flagsOf(GROUP, {
      filename: short('f', file('A manifest, or a folder of manifests (.yaml, .yml, .json). - is standard input.')),
      atomic: off('Write all objects in one revision, or write none. This flag is required.'),
      'field-manager': text('NAME', 'The owner of the applied fields.', 'quarterdeck-apply'),
      'force-conflicts': off('Take over conflicting fields from other managers.'),
      'dry-run': off('Run all checks, but write nothing.'),
      namespace: short('n', text('NAMESPACE', 'The namespace of objects without a namespace.', 'default')),
    }),
    ...SERVER,
  ]),
  history: takes([
    ...flagsOf(GROUP, {
      diff: text('VERSION VERSION', 'Show the differences between two versions.'),
      restore: text(
        'VERSION',
        'Update the object to an old version, or create it again if it is deleted. This flag needs --dry-run or --write.',
      ),
      'dry-run': off('With --restore: show the changes, and write nothing.'),
      write: off(
        'With --restore: write the old version by an ordinary update or create, with the rights of this user and through admission. The write fails if another client has written meanwhile. The status is not restored.',
      ),
      limit: count('Number of versions that are shown, up to 100.', '20'),
    }),
    ...OBJECT,
    ...SERVER,
  ]),
  explain: takes([]),
  'explain denied': takes(
    [...STATUS, ...OBJECT, ...SERVER],
    words('get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'),
  ),
  'explain conflict': takes([
    ...STATUS,
    ...flagsOf(GROUP, {
      apply: file('Objects to apply as a dry run, in YAML or JSON; - for standard input.'),
      'field-manager': text('NAME', 'The field manager of the dry run.', 'kubectl'),
    }),
    ...OBJECT,
    ...SERVER,
  ]),
  backup: takes(
    [
      ...STORAGE,
      ...KEY,
      ...flagsOf(GROUP, {
        revision: count('The resourceVersion of the state to back up. It must not be compacted. Default: the newest.'),
      }),
      ...OVERWRITE,
    ],
    FILES,
  ),
  'backup verify': takes(KEY, FILES),
  restore: takes(
    [
      ...STORAGE,
      ...KEY,
      ...flagsOf(GROUP, {
        'revision-margin': count(
          'The number of revisions that the old store may have made after the backup. The new revisions are above all of them. Default: 1000000000; with etcd 1000000, because etcd needs a write for each revision. For a larger number with etcd, use etcdutl snapshot restore --bump-revision.',
        ),
      }),
      ...LOWER_REVISIONS,
    ],
    FILES,
  ),
  migrate: takes([
    ...flagsOf(GROUP, {
      from: {
        kind: 'directory',
        placeholder: 'PLACE',
        help: 'The store to copy: a data directory, or URLs of an etcd.',
      },
      to: {
        kind: 'directory',
        placeholder: 'PLACE',
        help: 'The empty store to copy to: a data directory, or URLs of an etcd.',
      },
      'revision-margin': count('The distance of the new revisions above the old revisions.', '1000'),
    }),
    ...LOWER_REVISIONS,
    ...ETCD,
  ]),
  doctor: takes([
    ...flagsOf(GROUP, {
      fix: off(
        'Delete objects of a running server whose owners no longer exist, as the garbage collector would. For an etcd that is out of space, compact all history, and defragment the members one by one, the leader last. Then disarm the alarm if there is room. Nothing else is changed.',
      ),
      output: short('o', oneOf(['json'], text('json', 'Print the findings as JSON.'))),
    }),
    ...SERVER,
    ...STORAGE,
    ...shared('encryption-provider-config'),
  ]),
  bundle: takes([...OVERWRITE, ...SERVER], FILES),
  init: takes(
    [
      ...flagsOf(GROUP, {
        hosts: list(
          'NAME,...',
          'Host names and addresses at which clients on other machines call the server. With this flag, the server listens on all interfaces. Default: only clients on this machine.',
        ),
        url: text(
          'URL',
          'The URL of the server in the kubeconfig. Default: the first of --hosts with port 6443, or 127.0.0.1 with port 6443.',
        ),
      }),
      ...shared('etcd-servers'),
    ],
    { kind: 'directory' },
  ),
  completion: takes([], words(...SHELLS)),
  healthcheck: takes(
    flagsOf(GROUP, {
      'management-address': text(
        'HOST:PORT',
        'The --management-address of the server. Default: QUARTERDECK_MANAGEMENT_ADDRESS, or QUARTERDECK_HEALTHZ_PORT.',
      ),
      'healthz-port': port('Deprecated: the --healthz-port of the server.'),
    }),
    words('/readyz', '/livez', '/healthz'),
  ),
  console: takes([
    ...flagsOf(GROUP, {
      'print-url': off('Print a link, and open no browser. The link works once, within two minutes.'),
      kubeconfig: file(
        'The kubeconfig with the token. Default: the files in KUBECONFIG, or admin.kubeconfig in the default data directory.',
      ),
    }),
    ...SERVER.filter(({ name }) => name === 'context'),
  ]),
  top: takes([
    ...flagsOf(GROUP, {
      'all-replicas': off(
        'Show the watches of every replica that uses the same etcd. The replica that receives the request asks the other replicas on behalf of this user. It authenticates with the certificate of --proxy-client-cert-file, and sends them no token of the user. Replicas that do not answer within a second are listed. Default: only the watches of the replica that receives the request, in all of its workers.',
      ),
      once: off('Print the watches once.'),
      output: short('o', oneOf(['json'], text('json', 'Print the watches once, as JSON.'))),
    }),
    ...SERVER,
  ]),
  version: takes([]),
  help: takes([]),
} as const

export type CommandWords = keyof typeof COMMAND_FLAGS
type NameOf<W extends CommandWords> = (typeof COMMAND_FLAGS)[W]['flags'][number]['name']

/** A dependency between flags. A switch that is set to false counts as absent. */
interface Rule<Name extends string = string> {
  readonly flags: readonly Name[]
  readonly excludes?: readonly Name[]
  /** At least one of these flags must be set. */
  readonly needs?: readonly Name[]
}

const ONE_STORE = { flags: ['data-dir'], excludes: ['etcd-servers'] } as const
const ONE_MARGIN = { flags: ['lower-revisions'], excludes: ['revision-margin'] } as const
/** With one of these flags, `quarterdeck doctor` examines a store and not a server. */
const EXAMINED_STORE = ['data-dir', 'etcd-servers', 'config'] as const

const RULES: Readonly<{ [W in CommandWords]?: readonly Rule<NameOf<W>>[] }> = {
  'store serve': [{ flags: ['in-memory'], excludes: ['data-dir', 'quota-backend-bytes'] }],
  healthcheck: [{ flags: ['management-address'], excludes: ['healthz-port'] }],
  convert: [{ flags: ['overwrite'], needs: ['out'] }],
  history: [
    { flags: ['diff'], excludes: ['restore'] },
    { flags: ['dry-run'], excludes: ['write'] },
    { flags: ['dry-run', 'write'], needs: ['restore'] },
    { flags: ['restore'], needs: ['dry-run', 'write'] },
  ],
  'explain conflict': [
    { flags: ['filename'], excludes: ['apply'] },
    { flags: ['field-manager', 'namespace', 'kubeconfig', 'context'], needs: ['apply'] },
  ],
  backup: [ONE_STORE],
  restore: [ONE_STORE, ONE_MARGIN],
  migrate: [ONE_MARGIN],
  doctor: [
    { flags: ['kubeconfig', 'context'], excludes: EXAMINED_STORE },
    { flags: [...ETCD.map(({ name }) => name), 'encryption-provider-config'], needs: EXAMINED_STORE },
  ],
}

export function flagsOfCommand(command: CommandWords): readonly Flag[] {
  return COMMAND_FLAGS[command].flags
}

interface CommandLine<Name extends string> {
  readonly read: SettingReader<Name>
  readonly operands: readonly string[]
}

/** `operands` has the allowed number of arguments, and the hint for another number. Throws a `StartError` for anything else. */
export function readCommandLine<W extends CommandWords>(
  command: W,
  args: readonly string[],
  operands: { readonly least?: number; readonly most: number; readonly wanted?: string } = { most: 0 },
): CommandLine<NameOf<W>> {
  const flags = COMMAND_FLAGS[command].flags as readonly (Flag & { readonly name: NameOf<W> })[]
  const hint = `; see quarterdeck ${command.split(' ')[0]} --help`
  const given = readFlags(flags, args, { hint })
  for (const flag of flags) checkValue(flag, given.settings.get(flag.name), hint)
  const isOn = ({ name, kind }: (typeof flags)[number]): boolean =>
    given.settings.has(name) && !(kind === 'switch' && parseBoolean(given.settings.get(name)!.text) === false)
  checkRules(RULES[command] ?? [], new Set<string>(flags.filter(isOn).map(({ name }) => name)), hint)
  const isEmpty = given.operands.some((operand) => operand.trim() === '')
  if (isEmpty || given.operands.length > operands.most) {
    const stray = isEmpty ? 'an argument is empty' : `unexpected argument "${given.operands[operands.most]}"`
    throw usageError(`${stray}${operands.wanted === undefined ? '' : `: ${operands.wanted}`}${hint}`)
  }
  if (given.operands.length < (operands.least ?? 0)) throw usageError(`${operands.wanted}${hint}`)
  return { read: new SettingReader(given.settings, flags), operands: given.operands }
}

function checkRules(rules: readonly Rule[], on: ReadonlySet<string>, hint: string): void {
  for (const { flags, excludes = [], needs } of rules) {
    const given = flags.find((name) => on.has(name))
    const other = excludes.find((name) => on.has(name))
    if (given === undefined) continue
    if (other !== undefined) throw usageError(`--${given} and --${other} are mutually exclusive${hint}`)
    if (needs?.some((name) => on.has(name)) === false)
      throw usageError(`--${given} requires ${needs.map((name) => `--${name}`).join(' or ')}${hint}`)
  }
}

/** The subcommand of the first argument and the other arguments. Without a subcommand: the command and all arguments. */
export function subcommandIn(
  command: CommandWords,
  args: readonly string[],
): { readonly words: CommandWords; readonly rest: readonly string[] } {
  const words = `${command} ${args[0]}`
  return Object.hasOwn(COMMAND_FLAGS, words)
    ? { words: words as CommandWords, rest: args.slice(1) }
    : { words: command, rest: args }
}

/** `quarterdeck serve` checks its own flags, together with its environment and its file. */
function checkValue({ group, kind }: Flag, setting: Setting | undefined, hint: string): void {
  if (setting === undefined || group !== GROUP) return
  const { text: given, source } = setting
  if ((kind === 'list' ? given.replaceAll(',', '') : given).trim() === '')
    throw usageError(`${source} needs a value${hint}`)
  if (kind === 'count' && !/^\d{1,15}$/.test(given)) throw usageError(`${source}: "${given}" is not a number${hint}`)
}

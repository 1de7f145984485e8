// The manuals of all commands, and `quarterdeck --help`, which is made from them.
import { environmentName, FLAGS } from '../config/flags.ts'
import { gatesAt } from '../config/feature-gates.ts'
import { LIVE_FLAGS } from '../config/live-config.ts'
import { flagsOfCommand } from './command-flags.ts'
import {
  applyManual,
  consoleManual,
  explainManual,
  healthcheckManual,
  historyManual,
  recordRoleManual,
  topManual,
} from './manual-client.ts'
import { flagLines, type Manual, manual, pageText, type Section } from './manual-page.ts'
import { completionManual, initManual } from './manual-setup.ts'
import { backupManual, bundleManual, doctorManual, migrateManual, restoreManual } from './manual-storage.ts'

export const storeManual = manual({
  command: 'store',
  summary: "serve the embedded store in etcd's protocol",
  synopsis: ['store serve [FLAG]...'],
  description: [
    'Serves the embedded store behind version 3 of the API of etcd (KV, Watch, Lease, and parts of Maintenance and Cluster), as a cluster of one member. Servers use it with --etcd-servers. etcdctl and other clients of etcd can use it too. etcdutl can restore an etcd from its snapshots (etcdctl snapshot save). Authentication and members are not offered. Keys may be up to 1900 bytes long.',
    'History is kept until a client compacts it, as servers do.',
  ],
  flagsOf: ['store serve'],
})

export const testManual = manual({
  command: 'test',
  summary: 'run a command with a server of its own',
  synopsis: ['test [FLAG]... -- COMMAND [ARGUMENT]...'],
  description: [
    'Starts a server in memory on a free port, runs the command, and stops the server. The environment of the command has the address of the server. The command has the standard streams of quarterdeck test, and gets its signals.',
    'If the command fails, the last requests to the server are printed to standard error.',
    'To run the tests of a Go project that uses envtest: quarterdeck test -- go test ./...',
    'With --dev the command can inject faults at /debug/faults; with --dev --virtual-clock it can move time at /debug/clock.',
  ],
  flagsOf: [],
  sections: () => [
    [
      'FLAGS',
      [
        ...flagLines(flagsOfCommand('test').filter(({ name }) => name === 'print-requests')),
        '',
        'All other flags are those of quarterdeck serve, except for --workers, --worker-stall-timeout, --healthz-port, --kubeconfig-out and those of the management address. They are not read from the environment.',
      ],
    ],
    [
      'ENVIRONMENT OF THE COMMAND',
      [
        'KUBECONFIG  A kubeconfig of an administrator, which is removed in the end.',
        'KUBECACHEDIR  An empty directory for kubectl.',
        'USE_EXISTING_CLUSTER  true: envtest uses this server instead of starting one.',
      ],
    ],
  ],
  exits: [
    'The exit status of the command, or 128 and the number of the signal that ended it.',
    '1    The server could not start.',
    '2    The command line is invalid.',
    '126  The command cannot be run.',
    '127  There is no such command.',
  ],
})

export const convertManual = manual({
  command: 'convert',
  summary: 'convert objects from one encoding to another',
  synopsis: ['convert --from TYPE --to TYPE [--out DIR [--overwrite]] [FILE]...'],
  description: [
    'Reads the objects in the files, or in standard input, and writes them to standard output, or to files of the same names in DIR. Reads stored values and request bodies.',
    'TYPE is json, yaml, protobuf, cbor or cbor-seq, or the media type of one of these; --to also takes table, which shows objects as the API does for kubectl get.',
    'Objects of built-in kinds are written in canonical form; unknown fields are reported and dropped. Other kinds are kept as they are; they have no protobuf encoding.',
  ],
  exits: ['0  All files were converted.', '1  A file could not be converted.'],
})

export const checkManual = manual({
  command: 'check',
  summary: 'validate custom resource definitions and objects',
  synopsis: ['check FILE...'],
  description: [
    'Reads YAML or JSON files, or standard input for -, and validates every object as the server would: fields, types, values, CEL rules. Custom resources are validated by the definitions among the files.',
    'Each error is one line: file:line: field: error. Parts that need a running server are not checked: namespaces, authorization, admission.',
  ],
  exits: [
    '0  All objects are valid.',
    '1  There are errors.',
    '2  The command line is invalid, or a file cannot be read.',
  ],
})

export const defineManual = manual({
  command: 'define',
  summary: 'write custom resource definitions from TypeScript',
  synopsis: ['define FILE.ts [--check FILE.yaml]'],
  description: [
    'Loads the file, which exports the results of defineResource() of quarterdeck/define, and writes the definitions to standard output as YAML, in the order of their names.',
    'To validate them as the server would: quarterdeck define FILE.ts | quarterdeck check -',
  ],
  exits: [
    '0  The definitions were written, or equal those in the file.',
    '1  The file cannot be loaded or exports no definitions, or the definitions differ.',
    '2  The command line is invalid, or the file to compare with cannot be read.',
  ],
})

export const lintRolesManual = manual({
  command: 'lint-rbac',
  summary: 'find risky roles and bindings',
  synopsis: ['lint-rbac [FILE]...'],
  description: [
    'Reads roles and bindings from the files, or from standard input, in YAML or JSON, and reports the risks of section 5.1 of the CIS benchmark: wildcards, secrets, cluster-admin, privilege escalation, tokens. The bootstrap roles are skipped.',
    'To check a running server: kubectl get clusterroles,clusterrolebindings,roles,rolebindings -A -o json | quarterdeck lint-rbac',
  ],
  exits: ['0  Nothing was found.', '1  There are findings, or a file could not be read.'],
})

export const serveManual = manual({
  command: 'serve',
  summary: 'run the server',
  synopsis: ['serve [FLAG]...'],
  description: [
    'Serves the API over TLS, with the embedded store in the data directory or with etcd. Prints its address, a kubectl command line, and the place of the data.',
    'A flag is written --name VALUE or --name=VALUE. Each can also be set in the environment (--secure-port as ' +
      `${environmentName('secure-port')}) or in a file (see --config). The command line takes precedence over the environment, and the environment over the file.`,
    'SIGTERM and SIGINT shut the server down gracefully: requests in flight are finished, watches are closed. A second signal stops it at once.',
    `SIGHUP reads the configuration file again: ${LIVE_FLAGS.map((name) => `--${name}`).join(', ')} take effect at once, other changes are logged as needing a restart. An invalid file is logged, and changes nothing.`,
    'SIGHUP also reloads certificates, CA bundles, tokens, the audit policy and the configurations of authentication, authorization and encryption, and reopens the audit log. Errors are logged, and the previous state stays in effect. All but the tokens and the audit policy are also reloaded when they change.',
    'With --workers, SIGHUP replaces the workers one by one by new ones, which read all of these files again, and the configuration file; no connection is refused meanwhile. A worker that ends or stalls is replaced too; its clients reconnect, and the log has the calls in which it stalled. A profile (--profiling) shows the worker that ?worker= names; 1 is the first.',
  ],
  flagsOf: [],
  sections: () => [
    ...Array.from(
      Map.groupBy(FLAGS, ({ group }) => group),
      ([group, flags]): Section => [group.toUpperCase(), flagLines(flags)],
    ),
    ['FEATURE GATES', gateLines()],
  ],
  exits: [
    '0  The server was shut down.',
    '1  The server failed, or could not start.',
    '2  The command line or the configuration is invalid.',
  ],
})

function gateLines(): string[] {
  const names = Object.keys(gatesAt()).sort()
  return names.map((name) => {
    const { stage, enabled, locked } = gatesAt()[name]!
    return `${name} (${stage}, ${enabled ? 'on' : 'off'}${locked === true ? ', locked' : ''})`
  })
}

const VERSION = manual({
  command: 'version',
  summary: 'print the version of the program and the API level',
  synopsis: ['version'],
})
const HELP = manual({
  command: 'help',
  summary: 'show this page, or the page of a command',
  synopsis: ['help [COMMAND]'],
})

const ALL: readonly Manual[] = [
  serveManual,
  initManual,
  storeManual,
  testManual,
  convertManual,
  checkManual,
  defineManual,
  lintRolesManual,
  recordRoleManual,
  applyManual,
  historyManual,
  explainManual,
  healthcheckManual,
  consoleManual,
  topManual,
  backupManual,
  restoreManual,
  migrateManual,
  doctorManual,
  bundleManual,
  completionManual,
  VERSION,
  HELP,
]

/** Keys are the names of the commands. */
export const MANUALS: ReadonlyMap<string, Manual> = new Map(ALL.map((each) => [each.page.command, each]))

export function commandManual(): string {
  const pages = ALL.map(({ page }) => page)
  const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  return pageText([
    ['NAME', ['quarterdeck - a control-plane server with a Kubernetes-compatible resource API']],
    ['SYNOPSIS', pages.flatMap(({ synopsis }) => synopsis.map((line) => `quarterdeck ${line}`))],
    ['COMMANDS', pages.map(({ command, summary }) => `${command.padEnd(11)}  ${sentence(summary)}`)],
    [
      'DESCRIPTION',
      [
        'With no flags, quarterdeck serve keeps its data in ~/.local/share/quarterdeck, makes its own certificates, and writes a kubeconfig for kubectl.',
      ],
    ],
  ])
}

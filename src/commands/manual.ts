// `quarterdeck --help` and `quarterdeck serve --help`, written from the table of flags.
import { environmentName, FLAGS, type Flag } from '../config/flags.ts'
import { GATES } from '../config/feature-gates.ts'
import { LIVE_FLAGS } from '../config/live-config.ts'
import { page, type Section } from './manual-page.ts'

const PLACEHOLDERS: Readonly<Record<Flag['kind'], string>> = {
  text: 'TEXT',
  file: 'FILE',
  directory: 'DIR',
  address: 'IP',
  port: 'PORT',
  count: 'N',
  duration: 'DURATION',
  list: 'ITEM,...',
  switch: '',
  gates: 'NAME=true|false,...',
  pairs: 'ITEM;...',
}

export function commandManual(): string {
  return page([
    ['NAME', ['quarterdeck - a control-plane server with a Kubernetes-compatible resource API']],
    [
      'SYNOPSIS',
      [
        'quarterdeck serve [FLAG]...',
        'quarterdeck init [FLAG]... DIR',
        'quarterdeck store serve [FLAG]...',
        'quarterdeck test [FLAG]... -- COMMAND [ARGUMENT]...',
        'quarterdeck convert --from TYPE --to TYPE [--out DIR] [FILE]...',
        'quarterdeck check FILE...',
        'quarterdeck define FILE.ts [--check FILE.yaml]',
        'quarterdeck lint-rbac [FILE]...',
        'quarterdeck record-role [-f] [--user NAME] [--bind] [FILE]...',
        'quarterdeck explain denied|conflict [FLAG]...',
        'quarterdeck history KIND NAME [FLAG]...',
        'quarterdeck healthcheck [--healthz-port PORT] [PATH]',
        'quarterdeck top [--all-replicas] [--once] [-o json]',
        'quarterdeck backup [FLAG]... FILE|-',
        'quarterdeck backup verify [--encryption-key-file FILE] FILE',
        'quarterdeck restore [FLAG]... FILE',
        'quarterdeck migrate [FLAG]... --from PLACE --to PLACE',
        'quarterdeck doctor [FLAG]... [--fix] [-o json]',
        'quarterdeck bundle [FLAG]... FILE|-',
        'quarterdeck completion bash|zsh|fish',
        'quarterdeck version',
        'quarterdeck help [COMMAND]',
      ],
    ],
    [
      'COMMANDS',
      [
        'serve    Run the server. With no flags it keeps its data in ~/.local/share/quarterdeck, makes its own certificates, and writes a kubeconfig for kubectl.',
        'init     Write a configuration with comments, and the keys and certificates that replicas share.',
        "store    Serve the embedded store alone, in etcd's protocol.",
        'test     Run a command with a server of its own, which it finds by KUBECONFIG.',
        'convert  Convert objects from one encoding to another.',
        'check    Validate custom resource definitions and objects, without a server.',
        'define   Write the custom resource definitions that a TypeScript file exports.',
        'lint-rbac  Find risky roles and bindings.',
        'record-role  Write the smallest roles that would have allowed what an audit log has, or is written to it.',
        'history  Show the past versions of an object and what differs between them, and restore one.',
        'explain  Explain a request that was denied, or an apply that conflicts.',
        'healthcheck  Ask a server on this machine how it is.',
        'top      Show who watches a running server, or all of its replicas.',
        'backup   Copy what is stored to a file, while servers run.',
        'restore  Put a backup into an empty store.',
        'migrate  Move what is stored to another store.',
        'doctor   Find what is wrong with a server or a store.',
        'bundle   Collect what a bug report needs.',
        'completion  Print a script that completes commands and flags in a shell.',
        'version  Print the version of the program and the API level.',
        'help     Show this page, or the one of a command.',
      ],
    ],
  ])
}

export function storeManual(): string {
  return page([
    ['NAME', ["quarterdeck store - serve the embedded store in etcd's protocol"]],
    ['SYNOPSIS', ['quarterdeck store serve [FLAG]...']],
    [
      'DESCRIPTION',
      [
        'Serves the embedded store behind version 3 of the API of etcd (KV, Watch, Lease, and what there is to say of Maintenance and Cluster), as a cluster of one member. Servers use it with --etcd-servers, and so do etcdctl and other clients of etcd. A snapshot (etcdctl snapshot save) is one that etcdutl restores an etcd from. Authentication and members are not offered. Keys may be up to 1900 bytes long.',
        '',
        'History is kept until a client compacts it, as servers do.',
      ],
    ],
    [
      'FLAGS',
      [
        '--data-dir DIR',
        '    Where the data is, as for quarterdeck serve: a store that it has written can be served. Default: ~/.local/share/quarterdeck.',
        '--in-memory',
        '    Keep the data in memory. It is lost at the end.',
        '--listen-client-urls URL',
        '    An http: URL with a loopback address, an https: URL, or unix:///PATH. Default: http://127.0.0.1:2379.',
        '--cert-file FILE, --key-file FILE',
        '    The certificate and key for an https: URL, in PEM. They are reloaded when they change, and at a SIGHUP.',
        '--trusted-ca-file FILE',
        '    Clients must show a certificate of one of these authorities. Default: they need none.',
        '--quota-backend-bytes N',
        '    Refuse to write while the store is larger than this. Default: as much as the disk has.',
      ],
    ],
  ])
}

export function testManual(): string {
  return page([
    ['NAME', ['quarterdeck test - run a command with a server of its own']],
    ['SYNOPSIS', ['quarterdeck test [FLAG]... -- COMMAND [ARGUMENT]...']],
    [
      'DESCRIPTION',
      [
        'Starts a server in memory on a free port, runs the command, and stops the server. The command is told where the server is by its environment; it has the standard streams of this one, and is passed on its signals.',
        '',
        'If the command fails, the last requests to the server are printed to standard error.',
        '',
        'To run the tests of a Go project that uses envtest: quarterdeck test -- go test ./...',
        '',
        'With --dev the command can inject faults at /debug/faults; with --dev --virtual-clock it can move time at /debug/clock.',
      ],
    ],
    [
      'FLAGS',
      [
        '--print-requests N',
        '    How many requests are printed if the command fails; 0 for none. Default: 20.',
        '',
        'All others are those of quarterdeck serve, and are not read from the environment.',
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
    [
      'EXIT STATUS',
      [
        'That of the command, or 128 and the number of the signal that ended it.',
        '1    The server could not start.',
        '2    The command line is invalid.',
        '126  The command cannot be run.',
        '127  There is no such command.',
      ],
    ],
  ])
}

export function convertManual(): string {
  return page([
    ['NAME', ['quarterdeck convert - convert objects from one encoding to another']],
    ['SYNOPSIS', ['quarterdeck convert --from TYPE --to TYPE [--out DIR] [FILE]...']],
    [
      'DESCRIPTION',
      [
        'Reads the objects in the files, or in standard input, and writes them to standard output, or to files of the same names in DIR. Reads stored values and request bodies.',
        '',
        'TYPE is json, yaml, protobuf, cbor or cbor-seq, or the media type of one of these; --to also takes table, which shows objects as the API does for kubectl get.',
        '',
        'Objects of built-in kinds are written in canonical form; unknown fields are reported and dropped. Other kinds are kept as they are; they have no protobuf encoding.',
      ],
    ],
    [
      'EXIT STATUS',
      ['0  All files were converted.', '1  A file could not be converted.', '2  The command line is invalid.'],
    ],
  ])
}

export function checkManual(): string {
  return page([
    ['NAME', ['quarterdeck check - validate custom resource definitions and objects']],
    ['SYNOPSIS', ['quarterdeck check FILE...']],
    [
      'DESCRIPTION',
      [
        'Reads YAML or JSON files, or standard input for -, and validates every object as the server would: fields, types, values, CEL rules. Custom resources are validated by the definitions among the files.',
        '',
        'Each error is one line: file:line: field: error. What takes a running server is not checked: namespaces, authorization, admission.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  All objects are valid.',
        '1  There are errors.',
        '2  The command line is invalid, or a file cannot be read.',
      ],
    ],
  ])
}

export function defineManual(): string {
  return page([
    ['NAME', ['quarterdeck define - write custom resource definitions from TypeScript']],
    ['SYNOPSIS', ['quarterdeck define FILE.ts [--check FILE.yaml]']],
    [
      'DESCRIPTION',
      [
        'Loads the file, which exports what defineResource() of quarterdeck/define made, and writes the definitions to standard output as YAML, in the order of their names.',
        '',
        'With --check nothing is written: the definitions are compared with those in FILE.yaml, or in standard input for -.',
        '',
        'To validate them as the server would: quarterdeck define FILE.ts | quarterdeck check -',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  The definitions were written, or are those in the file.',
        '1  The file cannot be loaded or exports no definitions, or they differ.',
        '2  The command line is invalid, or the file to compare with cannot be read.',
      ],
    ],
  ])
}

export function lintRolesManual(): string {
  return page([
    ['NAME', ['quarterdeck lint-rbac - find risky roles and bindings']],
    ['SYNOPSIS', ['quarterdeck lint-rbac [FILE]...']],
    [
      'DESCRIPTION',
      [
        'Reads roles and bindings from the files, or from standard input, in YAML or JSON, and reports what section 5.1 of the CIS benchmark warns of: wildcards, secrets, cluster-admin, privilege escalation, tokens. The bootstrap roles are skipped.',
        '',
        'To check a running server: kubectl get clusterroles,clusterrolebindings,roles,rolebindings -A -o json | quarterdeck lint-rbac',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  Nothing was found.',
        '1  There are findings, or a file could not be read.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function serveManual(): string {
  const groups = Map.groupBy(FLAGS, ({ group }) => group)
  return page([
    ['NAME', ['quarterdeck serve - run the server']],
    ['SYNOPSIS', ['quarterdeck serve [FLAG]...']],
    [
      'DESCRIPTION',
      [
        'Serves the API over TLS, with the embedded store in the data directory or with etcd. Prints its address, a kubectl command line, and where the data is.',
        '',
        'A flag is written --name VALUE or --name=VALUE. Each can also be set in the environment (--secure-port as ' +
          `${environmentName('secure-port')}) or in a file (see --config). The command line comes first, then the environment, then the file.`,
        '',
        'SIGTERM and SIGINT shut the server down gracefully: requests in flight are finished, watches are closed. A second signal stops it at once.',
        '',
        `SIGHUP reads the configuration file again: ${LIVE_FLAGS.map((name) => `--${name}`).join(', ')} take effect at once, other changes are logged as needing a restart. An invalid file is logged, and changes nothing.`,
        '',
        'SIGHUP also reloads certificates, CA bundles, tokens, the audit policy and the configurations of authentication, authorization and encryption, and reopens the audit log. Errors are logged, and the previous state stays in effect. All but the tokens and the audit policy are also reloaded when they change.',
        '',
        'With --workers, SIGHUP replaces the workers one by one by new ones, which read all of that anew, the configuration file included; no connection is refused meanwhile. A worker that ends or stalls is replaced too; its clients reconnect, and the log says in which calls it had stalled. Profiles (--profiling) are of the worker that ?worker= names, 1 for the first.',
      ],
    ],
    ...Array.from(groups, ([group, flags]): Section => [group.toUpperCase(), flagLines(flags)]),
    ['FEATURE GATES', gateLines()],
    [
      'EXIT STATUS',
      [
        '0  The server was shut down.',
        '1  The server failed, or could not start.',
        '2  The command line or the configuration is invalid.',
      ],
    ],
  ])
}

function flagLines(flags: readonly Flag[]): string[] {
  return flags.flatMap((flag, i) => {
    const value = flag.placeholder ?? PLACEHOLDERS[flag.kind]
    const fallback = flag.fallback === undefined || flag.kind === 'switch' ? '' : ` Default: ${flag.fallback}.`
    const standing = flag.kind === 'switch' && flag.fallback === 'true' ? ' Default: true.' : ''
    return [
      ...(i === 0 ? [] : ['']),
      `--${flag.name}${value === '' ? '' : ` ${value}`}`,
      `    ${flag.help}${fallback}${standing}`,
    ]
  })
}

function gateLines(): string[] {
  const names = Object.keys(GATES).sort()
  return names.map((name) => {
    const { stage, enabled, locked } = GATES[name]!
    return `${name} (${stage}, ${enabled ? 'on' : 'off'}${locked === true ? ', locked' : ''})`
  })
}

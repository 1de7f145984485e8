// `quarterdeck --help` and `quarterdeck serve --help`, written from the table of flags.
import { environmentName, FLAGS, type Flag } from '../config/flags.ts'
import { GATES } from '../config/feature-gates.ts'

const WIDTH = 80
const INDENT = 7

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
        'quarterdeck convert --from TYPE --to TYPE [--out DIR] [FILE]...',
        'quarterdeck check FILE...',
        'quarterdeck lint-rbac [FILE]...',
        'quarterdeck version',
        'quarterdeck help [COMMAND]',
      ],
    ],
    [
      'COMMANDS',
      [
        'serve    Run the server. With no flags it keeps its data in ~/.local/share/quarterdeck, makes its own certificates, and writes a kubeconfig for kubectl.',
        'convert  Turn objects from one encoding into another.',
        'check    Tell what is wrong with definitions and objects, without a server.',
        'lint-rbac  Find roles and bindings that give more than is good.',
        'version  Print the version of the program and the level of the API.',
        'help     Show this page, or that of a command.',
      ],
    ],
  ])
}

export function convertManual(): string {
  return page([
    ['NAME', ['quarterdeck convert - turn objects from one encoding into another']],
    ['SYNOPSIS', ['quarterdeck convert --from TYPE --to TYPE [--out DIR] [FILE]...']],
    [
      'DESCRIPTION',
      [
        'Reads the objects in the files, or in standard input, and writes them to standard output, or to files of the same names in DIR. What is stored can be read like this, and what clients send.',
        '',
        'TYPE is json, yaml, protobuf, cbor or cbor-seq, or the media type of one of these; --to also takes table, which shows objects as the API does for kubectl get.',
        '',
        'Kinds that are built in take their canonical form, and fields that they do not have are told and left out. Other kinds are kept as they are; they have no protobuf.',
      ],
    ],
    [
      'EXIT STATUS',
      ['0  All files were converted.', '1  One could not be; a line says why.', '2  The command line is wrong.'],
    ],
  ])
}

export function checkManual(): string {
  return page([
    ['NAME', ['quarterdeck check - tell what is wrong with definitions and objects']],
    ['SYNOPSIS', ['quarterdeck check FILE...']],
    [
      'DESCRIPTION',
      [
        'Reads YAML or JSON files, or standard input for -, and holds every object in them to what the server would hold it to: fields, types, values, rules. Objects of kinds that a definition among the files makes are held to that definition.',
        '',
        'Each fault is one line: file:line: field: what is wrong. What only a running server knows is not looked at: whether a namespace is there, who may do it, what admission says.',
      ],
    ],
    [
      'EXIT STATUS',
      ['0  Nothing is wrong.', '1  Something is.', '2  The command line is wrong, or a file cannot be read.'],
    ],
  ])
}

export function lintRolesManual(): string {
  return page([
    ['NAME', ['quarterdeck lint-rbac - find roles and bindings that give more than is good']],
    ['SYNOPSIS', ['quarterdeck lint-rbac [FILE]...']],
    [
      'DESCRIPTION',
      [
        'Reads roles and bindings from the files, or from standard input, in YAML or JSON, and says what the CIS benchmark (5.1) would say of them: stars, secrets, cluster-admin, the verbs that lead to more rights, tokens. Those that come with the server are left out.',
        '',
        'A running server is looked at like this: kubectl get clusterroles,clusterrolebindings,roles,rolebindings -A -o json | quarterdeck lint-rbac',
      ],
    ],
    [
      'EXIT STATUS',
      ['0  Nothing was found.', '1  Something was, or a file could not be read.', '2  The command line is wrong.'],
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
        'Serves the API over TLS, on the embedded store in the data directory or on etcd. Prints where it listens, how to reach it with kubectl, and where the data is.',
        '',
        'A flag is written --name VALUE or --name=VALUE. Each can also be set in the environment (--secure-port as ' +
          `${environmentName('secure-port')}) or in a file (see --config). The command line comes first, then the environment, then the file.`,
        '',
        'SIGTERM and SIGINT stop the server: requests under way are finished, watches are ended. A second signal stops it at once.',
        '',
        'SIGHUP has certificates, authorities, tokens, the audit policy and the configurations of authentication, authorization and encryption read again, and the audit log opened anew. What is wrong with a file is told, and what held before stays. All but the tokens and the audit policy are also followed by themselves.',
      ],
    ],
    ...Array.from(groups, ([group, flags]): Section => [group.toUpperCase(), flagLines(flags)]),
    ['FEATURE GATES', gateLines()],
    [
      'EXIT STATUS',
      [
        '0  The server was stopped.',
        '1  It could not start, or failed.',
        '2  The command line or the configuration is wrong.',
      ],
    ],
  ])
}

type Section = readonly [title: string, lines: readonly string[]]

function page(sections: readonly Section[]): string {
  return sections.map(([title, lines]) => `${title}\n${lines.map(wrap).join('\n')}\n`).join('\n')
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

/** Breaks a line between words and indents what it makes of it; the line's own indentation stays. */
function wrap(text: string): string {
  const margin = ' '.repeat(INDENT + text.search(/\S|$/))
  const lines: string[] = []
  let current = ''
  for (const word of text.trim().split(' ')) {
    if (current !== '' && margin.length + current.length + word.length >= WIDTH) {
      lines.push(current)
      current = ''
    }
    current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current].map((line) => (line === '' ? '' : `${margin}${line}`)).join('\n')
}

// The manual of the commands that work on what is stored.
import { page } from './manual-page.ts'

const STORAGE_FLAG_LINES: readonly string[] = [
  '--data-dir DIR',
  '    The data directory of an embedded store. Default: ~/.local/share/quarterdeck.',
  '--etcd-servers URL,...',
  '    An etcd, or what quarterdeck store serve serves, instead.',
  '--etcd-cafile FILE, --etcd-certfile FILE, --etcd-keyfile FILE, --etcd-prefix PATH',
  '    As for quarterdeck serve.',
  '--config FILE',
  '    Take these from the configuration of a server. They are read from its environment variables, too.',
]

const KEY_LINES: readonly string[] = [
  '--encryption-key-file FILE',
  '    The key of the backup: 32 random bytes in base64 (head -c 32 /dev/urandom | base64).',
]

export function backupManual(): string {
  return page([
    ['NAME', ['quarterdeck backup - copy what is stored to a file']],
    [
      'SYNOPSIS',
      ['quarterdeck backup [FLAG]... FILE|-', 'quarterdeck backup verify [--encryption-key-file FILE] FILE'],
    ],
    [
      'DESCRIPTION',
      [
        'Copies everything under the prefix as it is at one revision, compressed, and encrypted where a key is given. Servers go on meanwhile. An embedded store is read on the machine, and in the container, of its server.',
        '',
        'FILE is written beside its place, read back, and then gets its name. With - it goes to standard output, and can be verified later.',
        '',
        'Objects that are encrypted at rest stay so: their keys are needed, too. Of the data directory only the store is copied; certificates, tokens and keys are files.',
      ],
    ],
    [
      'FLAGS',
      [
        ...STORAGE_FLAG_LINES,
        ...KEY_LINES,
        '--revision N',
        '    The state at this resourceVersion, if it has not been compacted. Default: the newest.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  The backup was written, or is whole.',
        '1  It could not be written, or is damaged, or the key is another.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function restoreManual(): string {
  return page([
    ['NAME', ['quarterdeck restore - put a backup into an empty store']],
    ['SYNOPSIS', ['quarterdeck restore [FLAG]... FILE']],
    [
      'DESCRIPTION',
      [
        'Reads all of the backup first, and then writes its objects to an embedded store or an etcd with nothing under the prefix. Servers on it are started afterwards. Of a data directory only the store must be empty: move DIR/store away.',
        '',
        'resourceVersions go on above those of the backup and of what was written after it, and older ones are gone: clients that watched are told 410 Gone, and list anew. Objects that expire, as events do, keep the time that they had left; what had none is deleted at once. Leases of etcd itself are not kept.',
        '',
        'A server does not start on a store whose restore was interrupted. Restoring again begins anew.',
      ],
    ],
    [
      'FLAGS',
      [
        ...STORAGE_FLAG_LINES,
        ...KEY_LINES,
        '--revision-margin N',
        '    How many revisions may have been made after the backup. Default: 1000000000, and 1000000 with etcd, where each costs a write: raise it there with etcdutl snapshot restore --bump-revision.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  The backup was restored.',
        '1  It was not: the file is damaged, or the store is not empty or failed.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function migrateManual(): string {
  return page([
    ['NAME', ['quarterdeck migrate - move what is stored to another store']],
    ['SYNOPSIS', ['quarterdeck migrate [FLAG]... --from PLACE --to PLACE']],
    [
      'DESCRIPTION',
      [
        'Copies everything under the prefix from one store into an empty one, as quarterdeck backup and quarterdeck restore do. PLACE is a data directory, or the URLs of an etcd, with commas between them.',
        '',
        'Servers are stopped before and started afterwards with the new store. resourceVersions only rise: clients that watched list anew. What was copied stays as it is.',
      ],
    ],
    [
      'FLAGS',
      [
        '--from PLACE, --to PLACE',
        '    From where, and where to.',
        '--etcd-cafile FILE, --etcd-certfile FILE, --etcd-keyfile FILE, --etcd-prefix PATH',
        '    As for quarterdeck serve.',
        '--revision-margin N',
        '    How far the new revisions are above the old ones. Default: 1000.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  Everything is in the new store.',
        '1  It is not: a store failed, is in use or is not empty.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function doctorManual(): string {
  return page([
    ['NAME', ['quarterdeck doctor - find what is wrong with a server or a store']],
    [
      'SYNOPSIS',
      [
        'quarterdeck doctor [--kubeconfig FILE] [--context NAME] [--fix] [-o json]',
        'quarterdeck doctor --data-dir DIR|--etcd-servers URL,... [FLAG]... [--fix] [-o json]',
      ],
    ],
    [
      'DESCRIPTION',
      [
        'Examines a running server, found as kubectl finds it, or a store without one, and prints a line for each finding, with what to do about it.',
        '',
        'Both: objects that cannot be decoded or decrypted, objects that are invalid by what is validated today, owners that do not exist or are in another namespace, risky roles and bindings (see quarterdeck lint-rbac), certificates that expire within 30 days, and the space that the storage has left, by the quota of etcd or on the disk.',
        '',
        'Of a server also: checks of /readyz that fail, a watch cache that differs from the storage, and its clock. The user needs to read everything.',
      ],
    ],
    [
      'FLAGS',
      [
        '--kubeconfig FILE, --context NAME',
        '    Which server. Default: as kubectl.',
        '--fix',
        '    Delete objects of a running server whose owners are all gone, as the garbage collector would. Of an etcd that is out of space: compact all history, defragment its members one by one, the leader last, and disarm the alarm where that made room. Nothing else is changed.',
        '-o, --output json',
        '    Print the findings as JSON.',
        ...STORAGE_FLAG_LINES,
        '--encryption-provider-config FILE',
        '    The keys of a store whose objects are encrypted.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  Nothing was found, or all of it was fixed.',
        '1  There are findings, or the server or the store cannot be reached.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

export function bundleManual(): string {
  return page([
    ['NAME', ['quarterdeck bundle - collect what a bug report needs']],
    ['SYNOPSIS', ['quarterdeck bundle [--kubeconfig FILE] [--context NAME] FILE|-']],
    [
      'DESCRIPTION',
      [
        'Writes one text about a running server: versions, the machine, health, flags, what is served, who watches, metrics, and the findings of quarterdeck doctor. Objects are not in it, but for the names of those with findings; credentials are removed. Read it before you send it.',
        '',
        'The server is found as kubectl finds it. What the user may not read is left out, and the text says so.',
      ],
    ],
    [
      'EXIT STATUS',
      [
        '0  It was written.',
        '1  The server cannot be reached, or the file cannot be written.',
        '2  The command line is invalid.',
      ],
    ],
  ])
}

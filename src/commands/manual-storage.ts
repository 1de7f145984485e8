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

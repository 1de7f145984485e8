// The manuals of the commands that work on a store.
import { manual } from './manual-page.ts'

export const backupManual = manual({
  command: 'backup',
  summary: 'copy a store to a file',
  synopsis: ['backup [FLAG]... FILE|-', 'backup verify [--encryption-key-file FILE] FILE'],
  description: [
    'Copies everything under the prefix at one revision, compressed, and encrypted if a key is given. Servers can run meanwhile. Run the command on the machine, and in the container, of the server of an embedded store. The flags for the place of the data can also be set in the environment, as for quarterdeck serve.',
    'The backup is written to a temporary file beside FILE, read back, and then renamed. With - it goes to standard output, and can be verified later.',
    'Objects that are encrypted at rest stay encrypted: keep their keys, too. Of a data directory, only the store is copied. Copy the certificates, tokens and keys in the directory as files.',
  ],
  exits: [
    '0  The backup was written, or is complete.',
    '1  The backup could not be written, is damaged, or has another key.',
  ],
})

export const restoreManual = manual({
  command: 'restore',
  summary: 'put a backup into an empty store',
  synopsis: ['restore [FLAG]... FILE'],
  description: [
    'Reads all of the backup first, and then writes its objects to an embedded store or an etcd with nothing under the prefix. Start the servers afterwards. Only the store of a data directory must be empty: move DIR/store away.',
    'resourceVersions continue above those of the backup and of later writes, and older ones are gone: clients that watched get 410 Gone, and list again. Objects that expire, such as events, keep their remaining time; those without any are deleted at once. Leases of etcd itself are not kept.',
    'A server does not start on a store whose restore was interrupted. A second restore starts from the beginning.',
  ],
  exits: ['0  The backup was restored.', '1  The file is damaged, or the store is not empty or failed.'],
})

export const migrateManual = manual({
  command: 'migrate',
  summary: 'move the data of a store to another store',
  synopsis: ['migrate [FLAG]... --from PLACE --to PLACE'],
  description: [
    'Copies everything under the prefix from one store into an empty one, as quarterdeck backup and quarterdeck restore do. PLACE is a data directory, or the URLs of an etcd, with commas between them.',
    'Stop the servers before, and start them with the new store afterwards. resourceVersions only rise: clients that watched list again. The old store stays as it is.',
  ],
  exits: ['0  Everything is in the new store.', '1  A store failed, is in use or is not empty.'],
})

export const doctorManual = manual({
  command: 'doctor',
  summary: 'find faults in a server or a store',
  synopsis: [
    'doctor [--kubeconfig FILE] [--context NAME] [--fix] [-o json]',
    'doctor --data-dir DIR|--etcd-servers URL,... [FLAG]... [--fix] [-o json]',
  ],
  description: [
    'Examines a running server, found as kubectl finds it, or a store without one, and prints a line for each finding, with its remedy.',
    'It finds in both: objects that cannot be decoded or decrypted, objects that are invalid by the rules of this version, owners that do not exist or are in another namespace, risky roles and bindings (see quarterdeck lint-rbac), certificates that expire within 30 days, and the free space of the storage, by the quota of etcd or on the disk.',
    'In a server, it also finds failing checks of /readyz, a watch cache that differs from the storage, and a wrong clock. The user needs the right to read everything.',
  ],
  exits: [
    '0  Nothing was found, or all findings were fixed.',
    '1  There are findings, or the server or the store cannot be reached.',
  ],
})

export const bundleManual = manual({
  command: 'bundle',
  summary: 'collect data for a bug report',
  synopsis: ['bundle [--overwrite] [--kubeconfig FILE] [--context NAME] FILE|-'],
  description: [
    'Writes one text about a running server: versions, the machine, health, flags, served resources, watchers, metrics, and the findings of quarterdeck doctor. It has no objects, only the names of those with findings. Credentials are removed. Read it before you send it.',
    'The server is found as kubectl finds it. Pages that the user may not read are left out, and the text names them.',
  ],
  exits: ['0  The text was written.', '1  The server cannot be reached, or the file cannot be written.'],
})

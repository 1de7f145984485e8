// The manuals of the commands that work on a store.
import { manual } from './manual-page.ts'

export const backupManual = manual({
  command: 'backup',
  summary: 'copy what is stored to a file',
  synopsis: ['backup [FLAG]... FILE|-', 'backup verify [--encryption-key-file FILE] FILE'],
  description: [
    'Copies everything under the prefix as it is at one revision, compressed, and encrypted where a key is given. Servers go on meanwhile. An embedded store is read on the machine, and in the container, of its server. The flags that say where the data is can also be set in the environment, as for quarterdeck serve.',
    'FILE is written beside its place, read back, and then gets its name. With - it goes to standard output, and can be verified later.',
    'Objects that are encrypted at rest stay so: their keys are needed, too. Of the data directory only the store is copied; certificates, tokens and keys are files.',
  ],
  exits: [
    '0  The backup was written, or is whole.',
    '1  It could not be written, or is damaged, or the key is another.',
  ],
})

export const restoreManual = manual({
  command: 'restore',
  summary: 'put a backup into an empty store',
  synopsis: ['restore [FLAG]... FILE'],
  description: [
    'Reads all of the backup first, and then writes its objects to an embedded store or an etcd with nothing under the prefix. Servers on it are started afterwards. Of a data directory only the store must be empty: move DIR/store away.',
    'resourceVersions go on above those of the backup and of what was written after it, and older ones are gone: clients that watched are told 410 Gone, and list anew. Objects that expire, as events do, keep the time that they had left; what had none is deleted at once. Leases of etcd itself are not kept.',
    'A server does not start on a store whose restore was interrupted. Restoring again begins anew.',
  ],
  exits: ['0  The backup was restored.', '1  It was not: the file is damaged, or the store is not empty or failed.'],
})

export const migrateManual = manual({
  command: 'migrate',
  summary: 'move what is stored to another store',
  synopsis: ['migrate [FLAG]... --from PLACE --to PLACE'],
  description: [
    'Copies everything under the prefix from one store into an empty one, as quarterdeck backup and quarterdeck restore do. PLACE is a data directory, or the URLs of an etcd, with commas between them.',
    'Servers are stopped before and started afterwards with the new store. resourceVersions only rise: clients that watched list anew. What was copied stays as it is.',
  ],
  exits: ['0  Everything is in the new store.', '1  It is not: a store failed, is in use or is not empty.'],
})

export const doctorManual = manual({
  command: 'doctor',
  summary: 'find what is wrong with a server or a store',
  synopsis: [
    'doctor [--kubeconfig FILE] [--context NAME] [--fix] [-o json]',
    'doctor --data-dir DIR|--etcd-servers URL,... [FLAG]... [--fix] [-o json]',
  ],
  description: [
    'Examines a running server, found as kubectl finds it, or a store without one, and prints a line for each finding, with what to do about it.',
    'Both: objects that cannot be decoded or decrypted, objects that are invalid by what is validated today, owners that do not exist or are in another namespace, risky roles and bindings (see quarterdeck lint-rbac), certificates that expire within 30 days, and the space that the storage has left, by the quota of etcd or on the disk.',
    'Of a server also: checks of /readyz that fail, a watch cache that differs from the storage, and its clock. The user needs to read everything.',
  ],
  exits: [
    '0  Nothing was found, or all of it was fixed.',
    '1  There are findings, or the server or the store cannot be reached.',
  ],
})

export const bundleManual = manual({
  command: 'bundle',
  summary: 'collect what a bug report needs',
  synopsis: ['bundle [--overwrite] [--kubeconfig FILE] [--context NAME] FILE|-'],
  description: [
    'Writes one text about a running server: versions, the machine, health, flags, what is served, who watches, metrics, and the findings of quarterdeck doctor. Objects are not in it, but for the names of those with findings; credentials are removed. Read it before you send it.',
    'The server is found as kubectl finds it. What the user may not read is left out, and the text says so.',
  ],
  exits: ['0  It was written.', '1  The server cannot be reached, or the file cannot be written.'],
})

// What is wrong with a backup, in one line for who reads it.

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

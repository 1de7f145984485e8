// A fault of a backup, in one line for its operator.

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

// The error of a backup or a restore. The message is one line for the operator.

export class BackupError extends Error {
  override readonly name = 'BackupError'
}

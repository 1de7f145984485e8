// Service accounts as users: their names and groups (P-042).

const PREFIX = 'system:serviceaccount:'
const ALL_ACCOUNTS = 'system:serviceaccounts'

export interface AccountName {
  readonly namespace: string
  readonly name: string
}

export function accountUserName({ namespace, name }: AccountName): string {
  return `${PREFIX}${namespace}:${name}`
}

export function accountGroups(namespace: string): readonly string[] {
  return [ALL_ACCOUNTS, `${ALL_ACCOUNTS}:${namespace}`]
}

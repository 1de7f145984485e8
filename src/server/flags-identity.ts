// The flags about who is asking: the tokens of service accounts.
import type { Flag } from './flag.ts'

export const IDENTITY_FLAGS = [
  {
    name: 'service-account-issuer',
    kind: 'list',
    group: 'Cluster',
    fallback: 'https://kubernetes.default.svc.cluster.local',
    placeholder: 'URL,...',
    help: 'The issuer named in the tokens of service accounts. Where there are several the first is named, and tokens of all are good.',
  },
  {
    name: 'service-account-signing-key-file',
    kind: 'file',
    group: 'Cluster',
    help: 'The private key that tokens of service accounts are signed with. Default: one made at the first start, in the data directory. Replicas need the same one.',
  },
  {
    name: 'service-account-key-file',
    kind: 'list',
    group: 'Cluster',
    placeholder: 'FILE,...',
    help: 'Keys whose tokens are good too: those that were used before. Public or private, in PEM form, several in a file or several files.',
  },
  {
    name: 'service-account-max-token-expiration',
    kind: 'duration',
    group: 'Cluster',
    fallback: '0s',
    help: 'The longest life that a token of a service account is given, from 1h on. 0: as long as is asked for.',
  },
  {
    name: 'service-account-extend-token-expiration',
    kind: 'switch',
    group: 'Cluster',
    fallback: 'true',
    help: 'Tokens of pods that are asked for 3607 seconds last a year, for programs that do not read them again. If false, no token lasts longer than it was asked for.',
  },
  {
    name: 'service-account-jwks-uri',
    kind: 'text',
    group: 'Cluster',
    placeholder: 'URL',
    help: 'Where others find the keys to check tokens of service accounts with, if not at this server.',
  },
  {
    name: 'api-audiences',
    kind: 'list',
    group: 'Cluster',
    placeholder: 'NAME,...',
    help: 'What this server is called in tokens that are meant for it. Default: the issuers.',
  },
] as const satisfies readonly Flag[]

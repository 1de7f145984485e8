// The manual of the commands that set things up on a machine.
import { manual } from './manual-page.ts'

export const initManual = manual({
  command: 'init',
  summary: 'write a configuration and the keys and certificates that it names',
  synopsis: ['init [--hosts NAME,...] [--url URL] [--etcd-servers URL,...] DIR'],
  description: [
    'Writes DIR/quarterdeck.yaml, in which every flag of quarterdeck serve is explained and those are set that name what else is written: certificate authorities for the API and for its clients, a serving certificate, the one by which a replica tells others, and aggregated API servers, for whom it asks, the key of service account tokens, a key for the encryption of secrets (DIR/pki), and DIR/admin.kubeconfig for kubectl.',
    'Replicas have to share all of it: a server that is started without makes its own, which the others do not trust. Copy DIR to each of them, to the same path. Nothing is overwritten. The etcd of --etcd-servers is shared by the replicas; without it each has an embedded store, in DIR/data.',
  ],
  exits: ['0  It was written.', '1  It could not be, or was there before.'],
})

export const completionManual = manual({
  command: 'completion',
  summary: 'print a script that completes commands and flags in a shell',
  synopsis: ['completion bash|zsh|fish'],
  sections: () => [
    [
      'EXAMPLES',
      [
        'source <(quarterdeck completion bash)',
        'source <(quarterdeck completion zsh)',
        'quarterdeck completion fish | source',
      ],
    ],
  ],
  exits: ['0  It was printed.'],
})

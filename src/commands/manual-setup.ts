// The manuals of the commands that set up a machine.
import { manual } from './manual-page.ts'

export const initManual = manual({
  command: 'init',
  summary: 'write a configuration and the keys and certificates that it names',
  synopsis: ['init [--hosts NAME,...] [--url URL] [--etcd-servers URL,...] DIR'],
  description: [
    'Writes DIR/quarterdeck.yaml, which explains every flag of quarterdeck serve and sets those that name the other files: certificate authorities for the API and for its clients, a serving certificate, the certificate with which a replica forwards requests to other replicas and to aggregated API servers, the key of service account tokens, a key for the encryption of secrets (DIR/pki), and DIR/admin.kubeconfig for kubectl.',
    'Replicas must share all of these files: a server without them makes its own, which the others do not trust. Copy DIR to the same path on each of them. Nothing is overwritten. The etcd of --etcd-servers is shared by the replicas; without it each has an embedded store, in DIR/data.',
  ],
  exits: ['0  The files were written.', '1  The files could not be written, or existed before.'],
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
  exits: ['0  The script was printed.'],
})

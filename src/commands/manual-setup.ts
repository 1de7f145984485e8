// The manual of the commands that set things up on a machine.
import { page } from './manual-page.ts'

export function initManual(): string {
  return page([
    ['NAME', ['quarterdeck init - write a configuration and the keys and certificates that it names']],
    ['SYNOPSIS', ['quarterdeck init [--hosts NAME,...] [--url URL] [--etcd-servers URL,...] DIR']],
    [
      'DESCRIPTION',
      [
        'Writes DIR/quarterdeck.yaml, in which every flag of quarterdeck serve is explained and those are set that name what else is written: certificate authorities for the API and for its clients, a serving certificate, the one by which a replica tells others, and aggregated API servers, for whom it asks, the key of service account tokens, a key for the encryption of secrets (DIR/pki), and DIR/admin.kubeconfig for kubectl.',
        '',
        'Replicas have to share all of it: a server that is started without makes its own, which the others do not trust. Copy DIR to each of them, to the same path. Nothing is overwritten.',
      ],
    ],
    [
      'FLAGS',
      [
        '--hosts NAME,...',
        '    Host names and addresses under which clients call the server, besides this machine. With any, it listens on all interfaces.',
        '',
        '--url URL',
        '    Where the kubeconfig points. Default: the first of --hosts, or 127.0.0.1, with port 6443.',
        '',
        '--etcd-servers URL,...',
        '    etcd servers that the replicas share. Default: the embedded store, in DIR/data.',
      ],
    ],
    [
      'EXIT STATUS',
      ['0  It was written.', '1  It could not be, or was there before.', '2  The command line is invalid.'],
    ],
  ])
}

export function completionManual(): string {
  return page([
    ['NAME', ['quarterdeck completion - print a script that completes commands and flags in a shell']],
    ['SYNOPSIS', ['quarterdeck completion bash|zsh|fish']],
    [
      'EXAMPLES',
      [
        'source <(quarterdeck completion bash)',
        'source <(quarterdeck completion zsh)',
        'quarterdeck completion fish | source',
      ],
    ],
    ['EXIT STATUS', ['0  It was printed.', '2  The command line is invalid.']],
  ])
}

// The flags of the listener for operators. `quarterdeck store serve` has them too.
import { file, flagsOf, off, port, text } from './flag.ts'

export const MANAGEMENT_FLAGS = flagsOf('Management', {
  'management-address': text(
    'HOST:PORT',
    'Address to serve health checks, metrics and debug pages at, over HTTP and for GET alone: an IP address or localhost, and a port, 0 for any free port. Connections from this machine need no credentials; other connections need the credentials of the flags below. Default: none.',
  ),
  'management-token-file': file(
    'File with a bearer token: other machines that send it may read everything at --management-address. The file is read at each use.',
  ),
  'management-client-ca-file': file(
    'CA bundle: other machines that show a client certificate of these authorities may read everything at --management-address, which is then served over TLS with the serving certificate.',
  ),
  'management-open-probes': off(
    'Answer /livez, /readyz and /healthz at --management-address to other machines without credentials.',
  ),
})

export type ManagementFlag = (typeof MANAGEMENT_FLAGS)[number]['name']

export const HEALTHZ_FLAG = flagsOf('Management', {
  'healthz-port': port(
    'Deprecated: use --management-address. Port of 127.0.0.1 that serves /healthz, /livez and /readyz alone; 0 to disable it.',
    '0',
  ),
})

// The signals that may stop a container, in the order in which messages list them.

const REAL_TIME: readonly string[] = [
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
  'SIGRTMAX',
  'SIGRTMIN',
]

const PLAIN =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ'

export const LINUX_SIGNALS: readonly string[] = [...PLAIN.split(' ').map((name) => `SIG${name}`), ...REAL_TIME].sort()
export const WINDOWS_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM']

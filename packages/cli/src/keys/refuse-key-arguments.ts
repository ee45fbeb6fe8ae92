import { type CommandError, usageError } from '../command-error.ts'

/** Options through which other tools accept a key. */
const KEY_OPTIONS = /^--?(?:private-?key|secret-?key|key|pk|mnemonic|password)(?:=|$)/i
/** 32 bytes of hex, alone or after `--name=`. */
const KEY_LIKE = /^(?:--?[^=]*=)?(?:0x)?[0-9a-f]{64}$/i

/**
 * Refuses a command with a private key in its arguments, before any other code reads them. A hash has the same form: as a
 * field of a job it must be given as `--field name=0x…`.
 */
export function refuseKeyArguments(words: readonly string[]): void {
  for (const word of words) {
    const option = KEY_OPTIONS.exec(word)?.[0].replace(/=$/, '')
    if (option !== undefined) {
      throw refusal(`${option} is not taken`, fieldHint(option.replace(/^-+/, '')))
    }
    if (KEY_LIKE.test(word)) throw refusal('64 hex digits look like a private key', fieldHint('hash'))
  }
}

function fieldHint(name: string): string {
  return `where it is a field of the job and no key: --field ${name}=…`
}

function refusal(what: string, hint: string): CommandError {
  return usageError(
    `${what}: a key on the command line is in the shell's history now, and in every list of processes`,
    `if it was a key, move its money. Keys belong into a wallet (farebox wallet new) or into FAREBOX_PRIVATE_KEY\n${hint}`,
  )
}

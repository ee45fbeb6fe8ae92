import { CannotRun } from './command-world.ts'

/** 32 bytes of hex, alone or after `--name=`. */
const KEY_LIKE = /^(?:--?[^=]*=)?(?:0x)?[0-9a-f]{64}$/i

/** Throws `CannotRun` when an argument has the form of a private key; the message does not repeat the argument. */
export function refuseKeys(words: readonly string[]): void {
  if (!words.some(word => KEY_LIKE.test(word.trim()))) return
  throw new CannotRun(
    "64 hex digits look like a private key: on the command line it is in the shell's history now, and in every list of processes",
    'if it was one, move its money. --key-file <file> or FAREBOX_PRIVATE_KEY give a key',
  )
}

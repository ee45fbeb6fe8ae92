import { usageError } from '../command-error.ts'

/**
 * A time limit that a person typed, in milliseconds.
 *
 * @param option `--timeout`, for the message
 * @throws {CommandError} for anything but a number of seconds, more than 0 and at most `most`
 */
export function readSeconds(
  option: string,
  text: string,
  { most, example }: { readonly most: number; readonly example: number },
): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= most) return 1_000 * seconds
  throw usageError(
    `${option}: must be a number of seconds, more than 0 and at most ${most}`,
    `like ${option} ${example}`,
  )
}

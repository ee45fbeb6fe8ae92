import { printable } from '@farebox/conformance/internal/printable'
import { readAgentUrl } from '@farebox/client/internal/agent/agent-url'
import { readPrice } from '@farebox/protocol/money/usdc'
import { usageError } from '../command-error.ts'

/**
 * Reads a time limit that a person typed, in milliseconds.
 *
 * @param option the option's name for the message, `--timeout`
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

/** Reads an amount of USDC that a person typed, in atomic units. */
export function readAmount(option: string, text: string, example: string): bigint {
  const price = readPrice(text)
  if (price.ok) return price.atomic
  throw usageError(`${option}: ${price.reason}`, `like ${option} ${example}, in USDC`)
}

/**
 * Reads the base URL of an agent or a platform that a person typed, without a trailing slash.
 *
 * @param option its name in a message
 */
export function readUrl(
  option: string,
  text: string,
  { allowHttp = false, next }: { readonly allowHttp?: boolean; readonly next: string },
): string {
  try {
    return readAgentUrl(text, { allowHttp })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw usageError(printable(reason.replace(/^agent URL/, option)), next, error)
  }
}

/** If a text is a URL without its scheme, returns the complete URL as a hint. */
export function schemeHint(text: string, scheme: 'http' | 'https', example: string): string {
  return /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) ? `with its scheme: ${scheme}://${printable(text)}` : example
}

export function readAgentNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw usageError(
    `"${printable(text.slice(0, 60))}" is not the number of an agent`,
    'farebox register status tells those that were registered here',
  )
}

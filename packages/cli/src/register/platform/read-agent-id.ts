import { usageError } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'

export function readAgentId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw usageError(
    `"${printable(text.slice(0, 60))}" is not the number of an agent`,
    'farebox register status tells those that were registered here',
  )
}

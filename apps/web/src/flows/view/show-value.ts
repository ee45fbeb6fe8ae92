import { cutText } from '../../format/cut-text.ts'

/** Formats a value in few characters: `“high”`, `220`, `["a", …`. */
export function showValue(value: unknown, most = 60): string {
  return typeof value === 'string'
    ? `“${cutText(value.replaceAll(/\s+/g, ' '), most)}”`
    : cutText(JSON.stringify(value) ?? 'nothing', most)
}

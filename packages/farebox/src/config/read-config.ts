import { refuseAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { WALLET_PLACEHOLDER, type Declaration } from '@farebox/protocol/declaration/declaration'
import { readTextFile } from './read-text-file.ts'

export { ConfigError, type ConfigProblem } from './config-error.ts'

/**
 * Reads an `agent.json` and checks all of it (D28), including the checksum of a literal wallet address. Throws a
 * `ConfigError` with every problem and its place, also for a file that is missing, too large, or not JSON.
 */
export async function readConfig(file: string): Promise<Declaration> {
  const text = await readTextFile(file)
  // The hash takes time to load, and most files leave the wallet to the environment.
  const keccak256 = text.includes(WALLET_PLACEHOLDER) ? undefined : await loadKeccak()
  const declaration = readFaultless(text)
  const isGood =
    declaration !== undefined &&
    (keccak256 === undefined || !refuseAddress({ keccak256 }, declaration.wallet))
  if (isGood) return declaration
  // Imported lazily: a start that succeeds does not need it.
  const { parseConfig } = await import('./parse-config.ts')
  return parseConfig(file, text, keccak256)
}

/** The declaration of a text without any problem; undefined when the text may have one. */
function readFaultless(text: string): Declaration | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // JSON.parse silently takes the last of two equal keys, so the keys are counted.
    if (countMembers(value) !== countColons(text)) return undefined
    const checked = checkDeclaration(value)
    return checked.ok ? checked.declaration : undefined
  } catch {
    return undefined
  }
}

/** Counts the members of all objects in a value, nested ones included. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: readonly unknown[] = Object.values(value)
  return inner.reduce<number>((sum, one) => sum + countMembers(one), Array.isArray(value) ? 0 : inner.length)
}

/** Counts the colons outside of texts: JSON has one for each member. */
function countColons(json: string): number {
  return json.replaceAll(TEXT, '').split(':').length - 1
}

const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/g

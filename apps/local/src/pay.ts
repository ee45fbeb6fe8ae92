import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '@farebox/client/execute'
import type { LocalFile } from '@farebox/local/economy'
import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { privateKeySigner } from '@farebox/payments/sign-payment'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { JsonObject } from '@farebox/protocol/fields/field'

const USAGE = "npm run pay -- <agent url> <capability> '<input as JSON>'"

/**
 * `npm run pay`: one paid job to a running local agent, from the local test wallet. The smallest use of the client
 * there is; prints the output and the transaction. Resolves to the exit code.
 */
export async function pay(words: readonly string[], root: string): Promise<number> {
  const [url, capability, json] = words
  if (url === undefined || capability === undefined || json === undefined) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  try {
    const local = await readLocalFile(join(root, '.farebox', 'local.json'))
    const crypto = await loadEvmCrypto()
    const signer = privateKeySigner(crypto, local.payer.privateKey)
    const { output, payment } = await execute(url, capability, readInput(json), { signer, crypto })
    process.stdout.write(`${JSON.stringify(output, null, 2)}\n`)
    if (payment !== undefined)
      process.stderr.write(
        `paid ${formatUsdc(payment.amountAtomic)} USDC in ${payment.transaction ?? 'a transaction the agent did not name'}\n`,
      )
    return 0
  } catch (error) {
    const type = isServiceError(error) ? `${error.errorType}: ` : ''
    process.stderr.write(`✗ ${type}${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function readLocalFile(file: string): Promise<LocalFile> {
  try {
    // Written by this program's own start, on this machine.
    return JSON.parse(await readFile(file, 'utf8')) as LocalFile
  } catch (error) {
    throw new Error('no local economy is here: npm start, in another terminal', { cause: error })
  }
}

function readInput(json: string): JsonObject {
  try {
    const input: unknown = JSON.parse(json)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as JsonObject
  } catch {
    // Said below, like every other input that is no object.
  }
  throw new TypeError(`the input must be a JSON object, like '{"text":"hello"}'`)
}

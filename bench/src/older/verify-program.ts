// Started by path, once for each build: verifies payments with that build's modules, and says what CPU time it took.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as curves from '@farebox/payments/crypto/evm-crypto'
import type * as networks from '@farebox/payments/networks'
import type * as headers from '@farebox/payments/x402/payment-header'
import type * as verifying from '@farebox/payments/x402/verify-signature'
import { NETWORK_ID, type VerifyAnswer, type VerifyQuestion } from './verify-messages.ts'

const [root = '', payload = ''] = process.argv.slice(2)
const payments = JSON.parse(payload) as readonly string[]

const { decodePaymentHeader } = await load<typeof headers>('x402/payment-header')
const { createSignatureVerifier } = await load<typeof verifying>('x402/verify-signature')
const { findNetwork } = await load<typeof networks>('networks')
const { loadEvmCrypto } = await load<typeof curves>('crypto/evm-crypto')
const network = findNetwork(NETWORK_ID)
if (network === undefined) throw new Error(`${root} does not know the network ${NETWORK_ID}`)
const verifiers = {
  native: createSignatureVerifier(await loadEvmCrypto({ curve: 'native' }), [network]),
  wasm: createSignatureVerifier(await loadEvmCrypto({ curve: 'wasm' }), [network]),
}

process.on('message', ({ curve, times }: VerifyQuestion) => {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time += 1) {
    for (const header of payments) {
      const decoded = decodePaymentHeader(header)
      if (!decoded.ok || !verifiers[curve].provePayer(decoded.payment).ok)
        throw new Error(`${root}, ${curve}, does not verify a good payment`)
    }
  }
  const { user, system } = process.cpuUsage(before)
  answer({ kind: 'measured', msEach: (user + system) / 1_000 / (times * payments.length) })
})
process.on('disconnect', () => process.exit(0))
answer({ kind: 'ready' })

function answer(message: VerifyAnswer): void {
  process.send?.(message)
}

/** A module of the build, by the path that all builds have had it at. */
async function load<Module>(path: string): Promise<Module> {
  const file = join(root, 'packages/payments/dist', `${path}.js`)
  return (await import(pathToFileURL(file).href)) as Module
}

// Started by path for each round: verifies payments with one build's modules or with viem, and prints the CPU time of one
// in milliseconds.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as curves from '@farebox/payments/crypto/evm-crypto'
import type * as networks from '@farebox/payments/networks'
import type * as headers from '@farebox/payments/x402/payment-header'
import type * as signing from '@farebox/payments/x402/sign-payment'
import type * as verifying from '@farebox/payments/x402/verify-signature'
import { verifyTypedData, type Address, type Hex } from 'viem'

const [root = '', verifier = '', times = '', payload = ''] = process.argv.slice(2)
const payments = JSON.parse(payload) as readonly string[]

const { decodePaymentHeader } = await load<typeof headers>('x402/payment-header')
const network = (await load<typeof networks>('networks')).findNetwork('eip155:84532')
if (network === undefined) throw new Error(`${root} does not know Base Sepolia`)

const verifyAll: () => void | Promise<void> =
  verifier === 'viem' ? await withViem(network) : await withFarebox(network)
// The first half compiles the code.
await repeat()
const before = process.cpuUsage()
await repeat()
const { user, system } = process.cpuUsage(before)
process.stdout.write(String((user + system) / 1_000 / (Number(times) * payments.length)))

async function repeat(): Promise<void> {
  for (let time = 0; time < Number(times); time += 1) await verifyAll()
}

/** From the header's base64 to the signer's address. */
async function withFarebox(network: networks.Network): Promise<() => void> {
  const { loadEvmCrypto } = await load<typeof curves>('crypto/evm-crypto')
  const { createSignatureVerifier } = await load<typeof verifying>('x402/verify-signature')
  const crypto = await loadEvmCrypto({ curve: verifier === 'wasm' ? 'wasm' : 'native' })
  const checker = createSignatureVerifier(crypto, [network])
  return () => {
    for (const header of payments) {
      const decoded = decodePaymentHeader(header)
      if (!decoded.ok || !checker.provePayer(decoded.payment).ok)
        throw new Error(`${root}, ${verifier}, does not verify a good payment`)
    }
  }
}

/** From the decoded parts. */
async function withViem(network: networks.Network): Promise<() => Promise<void>> {
  const { authorizationTypedData } = await load<typeof signing>('x402/sign-payment')
  const typedData = payments.map(header => {
    const decoded = decodePaymentHeader(header)
    if (!decoded.ok) throw new Error(decoded.reason)
    const { authorization, signature } = decoded.payment
    return {
      ...authorizationTypedData(network, authorization),
      address: authorization.from as Address,
      signature: signature as Hex,
    }
  })
  return async () => {
    for (const one of typedData)
      if (!(await verifyTypedData(one))) throw new Error('viem does not verify a good payment')
  }
}

/** A module of the build, at the path that it has in all builds. */
async function load<Module>(path: string): Promise<Module> {
  const file = join(root, 'packages/payments/dist', `${path}.js`)
  return (await import(pathToFileURL(file).href)) as Module
}

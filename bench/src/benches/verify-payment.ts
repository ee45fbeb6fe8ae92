import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { decodePaymentHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { verifyTypedData, type Hex } from 'viem'
import { verifyBuilds } from '../older/verify-builds.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { NETWORK, signAuthorization } from '../stage/sign-jobs.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'

/** One payment, from its header to the address that signed it; viem starts from the decoded parts already. */
export const verifyPayment: Bench = {
  name: 'verify',
  async run(stage) {
    const rounds = await interleave(
      await contenders(stage),
      { warmUps: 2, rounds: stage.quick ? 5 : 15 },
      stage.tell,
    )
    const msEach = (name: string): number => median(rounds.get(name) ?? [])
    const row = (curve: 'native' | 'wasm', atLeast: number): Row => ({
      what: `verify one payment, ${curve}`,
      short: `a signature, ${curve}`,
      ours: milliseconds(msEach(curve)),
      peer: { name: 'viem verifyTypedData', figure: milliseconds(msEach('viem')) },
      ratio: msEach('viem') / msEach(curve),
      goal: { atLeast },
    })
    return [row('native', 40), row('wasm', 12)]
  },
  async against(stage, older) {
    return await verifyBuilds(stage, older, headersOf(await signPayments(stage)))
  },
}

const PAYMENTS = 50

type Signed = Awaited<ReturnType<typeof signAuthorization>>

const REQUIREMENT = createRequirement({
  network: NETWORK,
  payTo: TEST_KEYS.agent.address,
  amountAtomic: 10_000n,
  maxDeadlineSeconds: 30,
})

async function signPayments(stage: Stage): Promise<readonly Signed[]> {
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  return await Promise.all(Array.from({ length: PAYMENTS }, () => signAuthorization(signer, REQUIREMENT)))
}

function headersOf(signed: readonly Signed[]): readonly string[] {
  return signed.map(payload => encodeHeader({ x402Version: 2, accepted: REQUIREMENT, payload }))
}

async function contenders(stage: Stage): Promise<readonly Contender<number>[]> {
  const signed = await signPayments(stage)
  const headers = headersOf(signed)
  const typedData = signed.map(({ authorization, signature }) => ({
    ...authorizationTypedData(NETWORK, authorization),
    address: TEST_KEYS.payer.address,
    signature: signature as Hex,
  }))
  return [
    farebox('native', stage.crypto, headers, 20),
    farebox('wasm', await loadEvmCrypto({ curve: 'wasm' }), headers, 5),
    timed('viem', 1, async () => {
      for (const one of typedData)
        if (!(await verifyTypedData(one))) throw new Error('viem does not verify a good payment')
    }),
  ]
}

function farebox(
  name: string,
  crypto: EvmCrypto,
  headers: readonly string[],
  times: number,
): Contender<number> {
  const checker = createSignatureVerifier(crypto, [NETWORK])
  return timed(name, times, () => {
    for (const header of headers) {
      const decoded = decodePaymentHeader(header)
      if (!decoded.ok || !checker.provePayer(decoded.payment).ok)
        throw new Error(`${name} does not verify a good payment`)
    }
  })
}

/** CPU time of one payment in milliseconds, this whole process counted. */
function timed(name: string, times: number, verifyAll: () => void | Promise<void>): Contender<number> {
  return {
    name,
    async run() {
      const before = process.cpuUsage()
      for (let time = 0; time < times; time += 1) await verifyAll()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000 / (times * PAYMENTS)
    },
  }
}

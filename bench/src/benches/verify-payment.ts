import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { compareBuilds } from '../older/compare-builds.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { CURRENT, type Build } from '../stage/build.ts'
import { NETWORK, signAuthorization } from '../stage/sign-jobs.ts'
import type { Stage } from '../stage/stage.ts'
import { builtFile } from '../stage/start-server.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'

/** The number of times a round verifies all payments, so that it takes some hundred milliseconds. */
const TIMES = { native: 80, wasm: 20, viem: 2 }
const PAYMENTS = 50
const CURVES = ['native', 'wasm'] as const

/** One payment, from its header to the address of its signer; viem starts from the decoded parts. */
export const verifyPayment: Bench = {
  name: 'verify',
  async run(stage) {
    const headers = await signPayments(stage)
    const contenders = [...CURVES, 'viem' as const].map(verifier => contender(CURRENT, verifier, headers))
    const rounds = { warmUps: 0, rounds: stage.quick ? 3 : 15 }
    const measured = await interleave(contenders, rounds, stage.tell)
    const msEach = (verifier: string): number => median(measured.get(`${CURRENT.name} ${verifier}`) ?? [])
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
    const headers = await signPayments(stage)
    const builds = [CURRENT, older]
    const contenders = CURVES.flatMap(curve => builds.map(build => contender(build, curve, headers)))
    const rounds = { warmUps: 0, rounds: stage.quick ? 5 : 25 }
    const measured = await interleave(contenders, rounds, stage.tell)
    return CURVES.map(curve => {
      const [current = [], other = []] = builds.map(({ name }) => measured.get(`${name} ${curve}`) ?? [])
      const naming = { what: `verify one payment, ${curve}`, olderName: older.name, format: milliseconds }
      return compareBuilds({ current, older: other }, { ...naming, better: 'less' })
    })
  },
}

async function signPayments(stage: Stage): Promise<readonly string[]> {
  const requirement = createRequirement({
    network: NETWORK,
    payTo: TEST_KEYS.agent.address,
    amountAtomic: 10_000n,
    maxDeadlineSeconds: 30,
  })
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  const sign = async (): Promise<string> => {
    const payload = await signAuthorization(signer, requirement)
    return encodeHeader({ x402Version: 2, accepted: requirement, payload })
  }
  return await Promise.all(Array.from({ length: PAYMENTS }, sign))
}

/** A round is a separate process, with the modules of its build; it resolves to the CPU time of one payment. */
function contender(
  { name, root }: Build,
  verifier: keyof typeof TIMES,
  headers: readonly string[],
): Contender<number> {
  const words = [root, verifier, String(TIMES[verifier]), JSON.stringify(headers)]
  const environment = { PATH: process.env['PATH'], NODE_ENV: 'production' }
  return {
    name: `${name} ${verifier}`,
    async run() {
      const program = [builtFile('verify/verify-program.js'), ...words]
      return Number((await promisify(execFile)(process.execPath, program, { env: environment })).stdout)
    },
  }
}

import type { Battery, BatteryResult } from '../battery.ts'
import { createPaymentMaker } from './generate/payment-maker.ts'
import { fuzzRounds } from './run/fuzz-rounds.ts'
import { runRound } from './run/run-round.ts'
import { fuzzSockets } from './sockets/raw-sockets.ts'

/** Random requests, declarations and handlers from a seed, checked against a second implementation of the rules. */
export const fuzz: Battery = {
  name: 'fuzz',
  does: 'Made-up requests, agents and handlers, and broken bytes; each answer is foreseen by a second reading of the rules.',
  flags: {
    replay: {
      value: '<seed/path>',
      help: 'the request of a finding; without the path, its whole round',
    },
  },
  async run(run) {
    const { replay } = run.flags ?? {}
    if (replay !== undefined) return await runAgain(replay)
    const results = [await fuzzRounds(run), await fuzzSockets(run)]
    return {
      scores: results.flatMap(({ scores }) => scores),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

/** One request, or one round, as a finding names it: `123/45:0:1`, `fixed/7`, `123`. */
async function runAgain(named: string): Promise<BatteryResult> {
  const [round = '', path] = named.split('/')
  const seed = round === 'fixed' ? round : Number(round)
  const finding = await runRound({ seed, path, maker: await createPaymentMaker() })
  const findings = finding === undefined ? [] : [finding.text]
  const reached = `${findings.length} findings`
  return {
    scores: [{ test: `replay of ${named}`, reached, target: '0', isMet: finding === undefined }],
    findings,
  }
}
